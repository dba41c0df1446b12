/** A TCP proxy on loopback whose connections can be cut, or left open with nothing passing through. */
import { connect, createServer, type Socket } from "node:net";

export interface CuttingProxy {
  port: number;
  /** Every connection is reset, and new ones are while it lasts. */
  cut(): void;
  /** Nothing passes any more, and nobody is told. */
  freeze(): void;
  heal(): void;
  close(): Promise<void>;
}

export async function cuttingProxy(target: { host: string; port: number }): Promise<CuttingProxy> {
  let state: "whole" | "cut" | "frozen" = "whole";
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    if (state === "cut") {
      client.destroy();
      return;
    }
    const upstream = connect(target.port, target.host);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on("data", (data) => {
        if (state === "whole") to.write(data);
      });
      from.on("error", () => {});
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const destroyAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as { port: number }).port,
    cut() {
      state = "cut";
      destroyAll();
    },
    freeze() {
      state = "frozen";
    },
    heal() {
      state = "whole";
    },
    close() {
      destroyAll();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
