/** What else lives on the host: servers that nobody inside may reach, one that somebody may, and a process to spy on. */
import { type ChildProcess, spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { chmodSync, rmSync } from "node:fs";
import { createServer, type Server as HttpServer } from "node:http";
import { type AddressInfo, createServer as createSocketServer, type Server } from "node:net";
import { join } from "node:path";
import { MARK, newName, SOCKET_NAME } from "./stage.ts";

export interface Neighbours {
  /** Answers with a secret. */
  deniedPort: number;
  /** Answers `ALLOWED`; `/redirect` leads to the denied one. */
  allowedPort: number;
  /** The name of an abstract socket that answers with a secret, without its NUL byte. */
  abstractSocket: string;
  udpPort: number;
  datagrams(): number;
  /** A process with a secret in its environment, and how long it sleeps: a number to know it by. */
  victim(): ChildProcess & { pid: number };
  victimSleep: string;
  isVictimAlive(): boolean;
  /** A new victim, in place of one that was killed. */
  revive(): Promise<void>;
  close(): Promise<void>;
}

export async function openNeighbours(workspace: string): Promise<Neighbours> {
  const denied = await listening(createServer((_, response) => response.end(`${MARK}-http\n`)));
  const allowed = await listening(
    createServer((request, response) => {
      if (request.url === "/redirect") response.writeHead(302, { location: `http://127.0.0.1:${portOf(denied)}/` });
      response.end("ALLOWED\n");
    }),
  );

  const socketFile = join(workspace, SOCKET_NAME);
  rmSync(socketFile, { force: true });
  const socket = await listening(
    createServer((_, response) => response.end(`${MARK}-socket\n`)),
    socketFile,
  );
  chmodSync(socketFile, 0o777);

  // As long as such a name can be: Node fills up a shorter one with NUL bytes.
  const abstractSocket = newName("haft-suite").padEnd(107, "x");
  const abstract = createSocketServer((client) => {
    client.on("error", () => {});
    client.end(`${MARK}-abstract\n`);
  });
  if (process.platform === "linux") await listening(abstract, `\0${abstractSocket}`);

  let datagrams = 0;
  const udp = createSocket("udp4").on("message", () => {
    datagrams++;
  });
  udp.bind(0, "127.0.0.1");
  await once(udp, "listening");

  const victimSleep = `86399.${++victims}${process.pid}`;
  let victim = await startVictim(victimSleep);

  return {
    deniedPort: portOf(denied),
    allowedPort: portOf(allowed),
    abstractSocket,
    udpPort: udp.address().port,
    datagrams: () => datagrams,
    victim: () => victim,
    victimSleep,
    async revive() {
      victim = await startVictim(victimSleep);
    },
    isVictimAlive: () => victim.exitCode === null && victim.signalCode === null,
    async close() {
      victim.kill("SIGKILL");
      udp.close();
      for (const server of [denied, allowed, socket]) server.closeAllConnections();
      for (const server of [denied, allowed, socket, abstract]) server.close();
    },
  };
}

let victims = 0;

async function startVictim(seconds: string): Promise<ChildProcess & { pid: number }> {
  const victim = spawn("sleep", [seconds], { env: { VICTIM: `${MARK}-victim` }, stdio: "ignore" });
  await once(victim, "spawn");
  return victim as ChildProcess & { pid: number };
}

async function listening<S extends HttpServer | Server>(server: S, path?: string): Promise<S> {
  if (path === undefined) server.listen(0, "127.0.0.1");
  else server.listen(path);
  await once(server, "listening");
  return server;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
