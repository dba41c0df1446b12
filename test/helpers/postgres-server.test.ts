/** The server that tests start does not outlive them. */
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { expect, test } from "vitest";
import { startProcess } from "./own-process.ts";
import { isPostgresRequired, whyNoPostgres } from "./postgres-server.ts";

const isOurs = !process.env.DATABASE_URL && (isPostgresRequired || whyNoPostgres() === undefined);

test.skipIf(!isOurs)(
  "a server whose process is killed ends as well, and its folder goes",
  async () => {
    const opener = startProcess("postgres-opener.ts");
    await opener.printed(2);
    const [url, folder] = opener.lines as [string, string];
    expect((await answers(url)) && existsSync(folder)).toBe(true);
    opener.child.kill("SIGKILL");
    await opener.ended;
    while (await answers(url)) await sleep(20);
    while (existsSync(folder)) await sleep(20);
  },
  60_000,
);

async function answers(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
