/** One request of a simulated curl, to an address that was checked, over TLS or not. The whole answer is held. */

import { type IncomingMessage, request as plainRequest, type RequestOptions } from "node:http";
import { request as tlsRequest } from "node:https";
import { isIP } from "node:net";
import type { Traffic } from "./audit.ts";
import { noLookup } from "./dial.ts";
import type { FetchTarget } from "./fetch-request.ts";
import { headerMap } from "./headers.ts";
import { bracketed } from "./hosts.ts";

export interface Hop {
  target: FetchTarget;
  search: string;
  address: string;
  headers: [string, string][];
  body: Uint8Array | undefined;
  abortSignal: AbortSignal;
  /** Certificates that are trusted instead of the usual ones. For tests. */
  ca: string | undefined;
}

export interface HopAnswer {
  status: number;
  /** Names in small letters; a name that came more than once has its values joined. */
  headers: Record<string, string>;
  body: Buffer;
}

/** The shell holds an answer in memory, so more than this is refused. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

export function makeHop(hop: Hop, traffic: Traffic): Promise<HopAnswer> {
  return new Promise((resolve, reject) => {
    const { target, body } = hop;
    const request = target.scheme === "https" ? tlsRequest(tlsOptions(hop)) : plainRequest(options(hop));
    let isAnswered = false;
    request.on("error", reject);
    request.on("upgrade", (_, socket) => {
      socket.destroy();
      reject(new Error("the server changed to another protocol, though nobody asked for that"));
    });
    request.on("close", () => {
      if (!isAnswered) reject(new Error("the server sent no answer"));
    });
    request.on("response", (answer) => {
      isAnswered = true;
      collect(answer, traffic)
        .then(resolve, reject)
        .finally(() => request.destroy());
    });
    traffic.up = body?.length ?? 0;
    request.end(body);
  });
}

function options({ target, search, address, headers, body, abortSignal }: Hop): RequestOptions {
  const { host, port, scheme, method, path } = target;
  const isUsual = port === (scheme === "https" ? 443 : 80);
  const own: [string, string][] = [["host", isUsual ? bracketed(host) : `${bracketed(host)}:${port}`]];
  if (body !== undefined) own.push(["content-length", String(body.length)]);
  return {
    ...{ host: address, port, method, path: `${path}${search}`, signal: abortSignal },
    headers: { ...headerMap([...own, ...headers]), connection: "close" },
    ...{ agent: false, lookup: noLookup, setHost: false },
  };
}

/** The certificate has to be that of the name, not of the address. */
function tlsOptions(hop: Hop): RequestOptions & { servername: string; rejectUnauthorized: boolean; ca?: string } {
  const { host } = hop.target;
  return {
    ...options(hop),
    servername: isIP(host) ? "" : host,
    rejectUnauthorized: true,
    ...(hop.ca && { ca: hop.ca }),
  };
}

async function collect(answer: IncomingMessage, traffic: Traffic): Promise<HopAnswer> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) {
    traffic.down += chunk.length;
    if (traffic.down > MAX_BODY_BYTES) throw new Error(`the answer has more than ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  const headers: Record<string, string> = Object.create(null);
  for (const [name, values] of Object.entries(answer.headersDistinct)) headers[name] = values!.join(", ");
  return { status: answer.statusCode!, headers, body: Buffer.concat(chunks) };
}
