/**
 * A process that writes to Postgres: `node postgres-writer.mjs <url> <session>`, from the built package. It claims the
 * session and appends one entry after the other; it prints each `seq` that was acknowledged, and at last the code of what ended it.
 */
import { postgresStore } from "../../dist/stores/index.js";

const [connectionString, session] = process.argv.slice(2);
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
  process.stdout.write(`${error.code}\n`);
} finally {
  await store.close();
}

function entry(seq) {
  const message = { role: "user", content: [{ type: "text", text: `of process ${process.pid}` }] };
  return { v: 2, seq, at: seq, key: "run_1", type: "message", via: "prompt", message };
}
