/** A small egress policy with a real door, for tests of what stands in front of it. */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { EgressAudit, EgressPolicy } from "../../../src/core/egress.ts";

/** A policy that lets one server be reached, whatever it is called, and speaks HTTP proxy on its door. */
export class OneServer implements EgressPolicy {
  readonly rules = [];
  readonly opened: { sandbox: string; exec: string }[] = [];
  doors = 0;

  constructor(readonly port: number) {}

  async evaluate() {
    return { allow: false, reason: "never asked" };
  }

  async open(of: { sandbox: string; exec: string }) {
    this.opened.push(of);
    this.doors++;
    const denied: EgressAudit[] = [];
    const allows = (host: string, port: number, isTunnel: boolean) => {
      if (host === "allowed.test") return true;
      const about = {
        at: Date.now(),
        isTunnel,
        allowed: false,
        reason: `${host} is not allowed`,
        bytesUp: 0,
        bytesDown: 0,
      };
      denied.push({ ...of, host, port, ...about, durationMs: 0 });
      return false;
    };
    const proxy = createServer((request, response) => {
      const { hostname, port } = new URL(request.url!);
      if (!allows(hostname, Number(port || 80), false)) return response.writeHead(403).end("denied\n");
      response.end(`through the door: ${hostname}\n`);
    });
    proxy.on("connect", (request, socket) => {
      const [host, port] = request.url!.split(":") as [string, string];
      if (!allows(host, Number(port), true)) return socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
      const server = connect(this.port, "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        server.pipe(socket).pipe(server);
      });
      for (const end of [server, socket]) end.on("error", () => {});
    });
    const socketPath = join(await mkdtemp(join(tmpdir(), "haft-door-")), "a door, with (signs).sock");
    proxy.listen(socketPath);
    await once(proxy, "listening");
    const close = async () => {
      this.doors--;
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
      await rm(dirname(socketPath), { recursive: true, force: true });
    };
    return { socketPath, denied, close };
  }
}
