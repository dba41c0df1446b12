/** A process that opens a Postgres server for tests, prints where it is, and never closes it. */
import { openPostgres } from "./postgres-server.ts";

const server = await openPostgres();
process.stdout.write(`${await server.database()}\n`);
setInterval(() => {}, 60_000);
