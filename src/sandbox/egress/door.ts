/**
 * A proxy for one command: a server on a Unix socket, in a folder that only this user can open. Whoever reaches it can
 * reach what the policy allows and nothing more.
 */

import { rmSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EgressAudit, EgressDoor, EgressPolicy } from "../../core/egress.ts";
import { Exchanges } from "./exchanges.ts";
import { forward } from "./forward.ts";
import { tunnel } from "./tunnel.ts";

export interface DoorLimits {
  /** Connections at once. */
  connections: number;
  /** A request's head has to be there by then. */
  headersMs: number;
  /** Without a byte in either direction. */
  idleMs: number;
  connectMs: number;
}

export const DOOR_LIMITS: DoorLimits = { connections: 256, headersMs: 10_000, idleMs: 300_000, connectMs: 30_000 };

const MAX_HEADER_BYTES = 16 * 1024;
const KEEP_ALIVE_MS = 5000;
/** A socket's path has to fit in 104 bytes (macOS; Linux has 108). */
const MAX_SOCKET_PATH = 103;
const SOCKET_NAME = "proxy.sock";

/** Folders of doors that are open. */
const folders = new Set<string>();
let isWatchingExit = false;

export async function openDoor(
  policy: EgressPolicy,
  of: { sandbox: string; exec: string },
  limits: DoorLimits = DOOR_LIMITS,
): Promise<EgressDoor> {
  const folder = await privateFolder();
  const door = new Door(policy, of, limits, folder);
  try {
    await door.listen();
    return door;
  } catch (thrown) {
    await door.close();
    throw thrown;
  }
}

class Door implements EgressDoor {
  readonly socketPath: string;
  readonly #folder: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #exchanges: Exchanges;
  #closing: Promise<void> | undefined;

  constructor(policy: EgressPolicy, of: { sandbox: string; exec: string }, limits: DoorLimits, folder: string) {
    this.#folder = folder;
    this.socketPath = join(folder, SOCKET_NAME);
    this.#exchanges = new Exchanges(policy, of, limits);
    this.#server = createServer({
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: limits.headersMs,
      // The body may take as long as it moves.
      requestTimeout: 0,
      connectionsCheckingInterval: Math.min(1000, limits.headersMs),
      keepAliveTimeout: KEEP_ALIVE_MS,
      insecureHTTPParser: false,
      // It is replaced by the host that was judged.
      requireHostHeader: false,
    });
    this.#server.timeout = limits.idleMs;
    // Their size is limited; what came after a number of them would be left out without a word.
    this.#server.maxHeadersCount = 0;
    this.#server.maxConnections = limits.connections;
    this.#answer();
  }

  get denied(): readonly EgressAudit[] {
    return this.#exchanges.denied;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(this.socketPath, resolve);
    });
    await chmod(this.socketPath, 0o600);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#exchanges.stop();
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await this.#exchanges.ended();
    await rm(this.#folder, { recursive: true, force: true });
    folders.delete(this.#folder);
  }

  #answer(): void {
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.setMaxListeners(0); // requests may wait on it in a row
      socket.on("close", () => this.#sockets.delete(socket));
      socket.on("error", () => {}); // it closes
    });
    // There is no listener for upgrades: such a request is answered as the plain one that it also is.
    const answer = (request: IncomingMessage, response: ServerResponse) => forward(request, response, this.#exchanges);
    this.#server.on("request", answer);
    this.#server.on("checkExpectation", answer);
    this.#server.on("connect", (request, socket, head) => tunnel(request, socket as Socket, head, this.#exchanges));
    this.#server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
      socket.destroy();
      const late = error.code === "ERR_HTTP_REQUEST_TIMEOUT";
      if (late) this.#exchanges.unreadable("it did not come in time");
      else if (error.code?.startsWith("HPE_")) this.#exchanges.unreadable("it is not proper HTTP");
    });
    this.#server.on("drop", () => this.#exchanges.unreadable("there are too many connections at once"));
  }
}

async function privateFolder(): Promise<string> {
  const longest = join(tmpdir(), "haft-egress-XXXXXX", SOCKET_NAME);
  const base = Buffer.byteLength(longest) <= MAX_SOCKET_PATH ? tmpdir() : "/tmp";
  const folder = await mkdtemp(join(base, "haft-egress-")); // 0700
  if (!isWatchingExit) {
    process.on("exit", () => {
      for (const left of folders) rmSync(left, { recursive: true, force: true });
    });
    isWatchingExit = true;
  }
  folders.add(folder);
  return folder;
}
