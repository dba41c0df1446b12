/** CONNECT: bytes both ways to a checked address, unseen. */

import type { IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import type { EgressVerdict } from "../../core/egress.ts";
import { newTraffic, type Traffic } from "./audit.ts";
import { noLookup } from "./dial.ts";
import type { Exchanges } from "./exchanges.ts";
import { refusal, TOO_MANY } from "./forward.ts";
import { readConnect, type Target } from "./proxy-request.ts";

export function tunnel(request: IncomingMessage, client: Socket, head: Buffer, exchanges: Exchanges): void {
  client.setTimeout(exchanges.limits.idleMs, () => client.destroy());
  const read = readConnect(request.url ?? "");
  if ("problem" in read) {
    exchanges.unreadable(read.problem, true);
    answer(client, "400 Bad Request", refusal(read.problem));
  } else if (!exchanges.run(() => exchange(client, head, read.target, exchanges))) {
    exchanges.unreadable(TOO_MANY, true);
    answer(client, "503 Service Unavailable", refusal(TOO_MANY));
  }
}

async function exchange(client: Socket, head: Buffer, target: Target, exchanges: Exchanges): Promise<void> {
  const traffic = newTraffic();
  const gone = new AbortController();
  client.once("close", () => gone.abort());
  const verdict = await exchanges.judge(target, traffic, gone.signal);
  if (!verdict.allow) return answer(client, "403 Forbidden", refusal(verdict.reason));
  const isWanted = !client.destroyed && !exchanges.isStopped;
  const failure = isWanted ? await join(client, head, target, verdict, traffic, exchanges) : "nobody waited for it";
  client.destroy();
  exchanges.done(target, verdict, traffic, failure);
}

/** Until both ends have closed, or one of them broke. */
function join(
  client: Socket,
  head: Buffer,
  { port }: Target,
  { address }: EgressVerdict,
  traffic: Traffic,
  { limits }: Exchanges,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    let failure: string | undefined;
    let isOpen = false;
    const server = connect({ host: address!, port, lookup: noLookup, allowHalfOpen: true });
    server.setTimeout(limits.connectMs, () => server.destroy(new Error("it was silent for too long")));

    server.once("connect", () => {
      isOpen = true;
      server.setTimeout(limits.idleMs);
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      if (head.length > 0) client.unshift(head);
      client.on("data", (chunk: Buffer) => {
        traffic.up += chunk.length;
      });
      server.on("data", (chunk: Buffer) => {
        traffic.down += chunk.length;
      });
      client.pipe(server);
      server.pipe(client);
    });
    server.on("error", (error: NodeJS.ErrnoException) => {
      failure = `${isOpen ? "the server broke it off" : "the server could not be reached"} (${error.code ?? error.message})`;
      if (!isOpen) answer(client, "502 Bad Gateway", `${failure}\n`);
    });
    // What the server still said is on its way to the client: only then does it end.
    server.once("close", () => {
      if (failure === undefined || !isOpen) client.end();
      else client.destroy();
    });
    client.once("close", () => {
      server.destroy();
      resolve(failure);
    });
  });
}

function answer(client: Socket, status: string, body: string): void {
  const length = Buffer.byteLength(body);
  const head = `content-type: text/plain; charset=utf-8\r\ncontent-length: ${length}\r\nconnection: close`;
  client.resume(); // what it still says is not for anybody
  client.end(`HTTP/1.1 ${status}\r\n${head}\r\n\r\n${body}`);
}
