/** A plain HTTP request through the door: judged, made anew, and streamed both ways. */

import { type ClientRequest, type IncomingMessage, request as makeRequest, type ServerResponse } from "node:http";
import type { EgressVerdict } from "../../core/egress.ts";
import { newTraffic, type Traffic } from "./audit.ts";
import { noLookup } from "./dial.ts";
import type { Exchanges } from "./exchanges.ts";
import { endToEnd, headerMap } from "./headers.ts";
import { bracketed } from "./hosts.ts";
import { readAbsolute, type Target } from "./proxy-request.ts";

/** Said anew, of what was judged and read. */
const OURS = /^(host|content-length)$/i;

export const TOO_MANY = "there are too many requests at once";

export function forward(request: IncomingMessage, response: ServerResponse, exchanges: Exchanges): void {
  const read = readAbsolute(request);
  if ("problem" in read) {
    exchanges.unreadable(read.problem);
    refuse(response, 400, read.problem);
  } else if (!exchanges.run(() => exchange(request, response, read.target, read.search, exchanges))) {
    exchanges.unreadable(TOO_MANY);
    refuse(response, 503, TOO_MANY);
  }
}

async function exchange(
  request: IncomingMessage,
  response: ServerResponse,
  target: Target,
  search: string,
  exchanges: Exchanges,
): Promise<void> {
  const traffic = newTraffic();
  const gone = new AbortController();
  whenOver(request, response, () => gone.abort());
  const verdict = await exchanges.judge(target, traffic, gone.signal);
  if (!verdict.allow) return refuse(response, 403, verdict.reason);

  const failure = await new Promise<string | undefined>((resolve) => {
    if (gone.signal.aborted || exchanges.isStopped) return resolve("nobody waited for the answer");
    let problem: string | undefined;
    const fail = (why: string) => {
      problem ??= why;
      answerBadly(response, why);
    };
    gone.signal.addEventListener("abort", () => {
      upstream?.destroy();
      resolve(problem ?? (response.writableFinished ? undefined : "it was broken off"));
    });
    const upstream = attempt(() => send(request, target, search, verdict, exchanges), fail);
    if (!upstream) return;
    let isAnswered = false;
    upstream.on("error", (error) => {
      // A server may answer and close before it has read everything: the answer tells by itself whether it is whole.
      if (!isAnswered) fail(`the server could not be reached (${codeOrMessage(error)})`);
    });
    upstream.on("upgrade", (_, socket) => {
      socket.destroy();
      fail("the server changed to another protocol, though nobody asked for that");
    });
    upstream.on("close", () => {
      if (!isAnswered) fail("the server sent no answer");
    });
    upstream.on("timeout", () => upstream.destroy(new Error("it was silent for too long")));
    upstream.on("response", (answer) => {
      isAnswered = true;
      // What it was not asked to read to its end stays in the way of a next request.
      if (!request.complete) response.shouldKeepAlive = false;
      attempt(() => giveBack(answer, response, traffic, fail), fail);
    });
    request.on("data", (chunk: Buffer) => {
      traffic.up += chunk.length;
    });
    request.on("error", () => upstream.destroy());
    request.pipe(upstream);
  });
  exchanges.done(target, verdict, traffic, failure);
}

/** A response that waits behind another one on its connection is not told when that ends. */
function whenOver(request: IncomingMessage, response: ServerResponse, over: () => void): void {
  const { socket } = request;
  socket.once("close", over);
  response.once("close", () => {
    socket.off("close", over);
    over();
  });
}

function send(
  request: IncomingMessage,
  { host, port, path }: Target,
  search: string,
  verdict: EgressVerdict,
  exchanges: Exchanges,
): ClientRequest {
  const headers = headerMap(endToEnd(request.rawHeaders, request.headers).filter(([name]) => !OURS.test(name)));
  // How long the body is was read by our parser, and the server has to hear the same, whatever Connection says of it:
  // otherwise it could take the body for another request.
  const length = request.headers["content-length"];
  if (request.headers["transfer-encoding"] !== undefined) headers["transfer-encoding"] = "chunked";
  else if (length !== undefined) headers["content-length"] = length;
  return makeRequest({
    host: verdict.address,
    port,
    method: request.method,
    path: `${path}${search}`,
    headers: { host: port === 80 ? bracketed(host) : `${bracketed(host)}:${port}`, ...headers, connection: "close" },
    ...{ agent: false, lookup: noLookup, setHost: false, timeout: exchanges.limits.idleMs },
  });
}

function giveBack(answer: IncomingMessage, response: ServerResponse, traffic: Traffic, fail: (why: string) => void) {
  answer.on("data", (chunk: Buffer) => {
    traffic.down += chunk.length;
  });
  answer.on("error", () => fail("the answer was broken off"));
  // Without the server's own words for its status: they may hold what cannot be written.
  response.writeHead(answer.statusCode!, headerMap(endToEnd(answer.rawHeaders, answer.headers)));
  answer.pipe(response);
}

function attempt<T>(action: () => T, fail: (why: string) => void): T | undefined {
  try {
    return action();
  } catch {
    fail("it cannot be sent on as it is");
    return undefined;
  }
}

/** The connection ends with it: what follows on it was meant for somebody else. */
function refuse(response: ServerResponse, status: number, reason: string): void {
  const head = { "content-type": "text/plain; charset=utf-8", connection: "close", "x-haft-egress": "refused" };
  response.writeHead(status, head).end(refusal(reason));
}

/** What a person or a model reads who looks at the answer. */
export function refusal(reason: string): string {
  return `Refused by the network policy of this sandbox: ${reason}.\n`;
}

/** Never throws: it is called where nobody would catch that. Half an answer ends with its connection. */
function answerBadly(response: ServerResponse, why: string): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  try {
    response.writeHead(502, { "content-type": "text/plain; charset=utf-8", connection: "close" }).end(`${why}\n`);
  } catch {
    response.destroy();
  }
}

function codeOrMessage(error: NodeJS.ErrnoException): string {
  return error.code ?? error.message;
}
