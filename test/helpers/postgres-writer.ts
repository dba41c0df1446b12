/**
 * A process that writes to Postgres: `node --import jiti/register postgres-writer.ts <url> <session>`. It claims the session and
 * appends one entry after the other; it prints each `seq` that was acknowledged, and at last the code of what ended it.
 */
import type { Entry } from "../../src/core/log.ts";
import { postgresStore } from "../../src/stores/index.ts";

const [connectionString, session] = process.argv.slice(2) as [string, string];
const store = postgresStore({ connectionString });
try {
  const claim = await store.claim(session, { worker: `process ${process.pid}`, ttlMs: 400 });
  if (!claim.granted) throw Object.assign(new Error("somebody has it"), { code: "NOT_GRANTED" });
  const read = await store.read(session);
  for (let seq = read.length; ; seq++) {
    await store.append(session, [entry(seq)], { epoch: claim.epoch });
    process.stdout.write(`${seq}\n`);
  }
} catch (error) {
  process.stdout.write(`${(error as { code?: string }).code}\n`);
} finally {
  await store.close();
}

function entry(seq: number): Entry {
  const message = { role: "user" as const, content: [{ type: "text" as const, text: `of process ${process.pid}` }] };
  return { v: 2, seq, at: seq, key: "run_1", type: "message", via: "prompt", message };
}
