/** A process that opens a Postgres server for tests, prints where it is, and never closes it. */
import pg from "pg";
import { openPostgres } from "./postgres-server.ts";

const server = await openPostgres();
const url = await server.database();
const client = new pg.Client({ connectionString: url });
await client.connect();
const { rows } = await client.query("SHOW data_directory");
await client.end();
process.stdout.write(`${url}\n${rows[0].data_directory}\n`);
setInterval(() => {}, 60_000);
