/** What the tests of egress share: servers on loopback, a door, and a client that says exactly what it is told. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { onTestFinished } from "vitest";
import type { EgressAudit, EgressDoor, EgressPolicy } from "../../../src/core/egress.ts";
import { DOOR_LIMITS, type DoorLimits, openDoor } from "../../../src/sandbox/egress/door.ts";
import { type EgressOptions, egress } from "../../../src/sandbox/egress/index.ts";

export interface Upstream {
  port: number;
  server: Server;
  /** What came, in order. */
  seen: { method: string; url: string; headers: IncomingMessage["headers"] }[];
}

/** Answers `UP <host header> <url>` unless it is told otherwise. */
export async function upstream(listener?: RequestListener): Promise<Upstream> {
  const seen: Upstream["seen"] = [];
  const server = createServer((request, response) => {
    seen.push({ method: request.method!, url: request.url!, headers: request.headers });
    if (listener) listener(request, response);
    else response.end(`UP ${request.headers.host} ${request.url}`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, server, seen };
}

export interface Watched {
  policy: EgressPolicy;
  audits: EgressAudit[];
}

export function watched(options: EgressOptions): Watched {
  const audits: EgressAudit[] = [];
  return { audits, policy: egress({ ...options, audit: (entry) => void audits.push(entry) }) };
}

export async function door(policy: EgressPolicy, limits?: Partial<DoorLimits>): Promise<EgressDoor> {
  const of = { sandbox: "sandbox_1", exec: "exec_1" };
  const opened = limits ? await openDoor(policy, of, { ...DOOR_LIMITS, ...limits }) : await policy.open(of);
  onTestFinished(() => opened.close());
  return opened;
}

export interface Answer {
  /** `HTTP/1.1 200 OK`; empty when the connection was dropped. */
  status: string;
  head: string;
  body: string;
}

/** Says `text`, and gives what comes until the other side closes; `waitMs` is when it gives up listening. */
export function say(socketPath: string, text: string, waitMs = 10_000): Promise<Answer> {
  return new Promise((resolve) => {
    const socket = connect(socketPath, () => socket.write(text));
    let all = "";
    const timer = setTimeout(() => socket.destroy(), waitMs);
    socket.on("data", (chunk) => {
      all += chunk;
    });
    socket.on("error", () => {});
    socket.on("end", () => socket.end());
    socket.on("close", () => {
      clearTimeout(timer);
      const [head = "", ...rest] = all.split("\r\n\r\n");
      resolve({ status: head.split("\r\n")[0]!, head, body: rest.join("\r\n\r\n") });
    });
  });
}

/** A request that ends with its answer. */
export function get(target: string, more = ""): string {
  return `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${more}\r\n`;
}

/** A request as `evaluate` takes it. */
export function requested(host: string, more: object = {}) {
  return { host, port: 443, isTunnel: true, sandbox: "sandbox_1", ...more };
}

/** Waits until `check` holds. */
export async function until(check: () => boolean, what = "it"): Promise<void> {
  for (let waited = 0; !check(); waited += 10) {
    if (waited > 10_000) throw new Error(`${what} did not come`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
