/** What is done to the store in Postgres: its writers are killed and stopped, and the server is taken away from them. */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { cuttingProxy } from "../../helpers/cutting-proxy.ts";
import { isPostgresRequired, openPostgres, type PostgresServer, whyNoPostgres } from "../../helpers/postgres-server.ts";
import type { Away } from "./away.ts";
import { openPlace, type Place } from "./stores.ts";

/** Why it is left out here; a machine that must have one fails instead. */
export const withoutPostgres = isPostgresRequired ? undefined : whyNoPostgres();

/** With a place in a new database, behind a network that can be cut. */
export async function withPostgres<T>(child: string, work: (place: Place, kinds: Away[]) => Promise<T>): Promise<T> {
  const server = await openPostgres();
  const direct = await server.database();
  const { hostname, port } = new URL(direct);
  const proxy = await cuttingProxy({ host: hostname, port: Number(port || 5432) });
  const behind = new URL(direct);
  behind.hostname = "127.0.0.1";
  behind.port = String(proxy.port);
  const place = openPlace("postgres", child, () => behind.href);
  const cut = async () => {
    proxy.cut();
    await sleep(200);
    proxy.heal();
  };
  const kinds = [{ name: "network cut", happen: cut }, terminated(direct), ...restarted(server)];
  try {
    return await work(place, kinds);
  } finally {
    await place.close();
    await proxy.close();
    await server.close();
  }
}

function terminated(url: string): Away {
  const happen = async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const others = "datname = current_database() AND pid <> pg_backend_pid()";
    await client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${others}`);
    await client.end();
  };
  return { name: "connections ended", happen };
}

/** Not where the server is somebody else's. */
function restarted({ control }: PostgresServer): Away[] {
  if (!control) return [];
  const happen = async () => {
    await control.stop("immediate");
    await sleep(100);
    await control.start();
  };
  return [{ name: "server stopped at once", happen }];
}
