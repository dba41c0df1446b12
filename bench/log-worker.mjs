/** One process: one run of so many one-call steps, whose log goes to one store. Prints one line of JSON. */
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bytesWritten, countStatements, openStore, statements } from "./log-stores.mjs";
import { finalText, makeScenario } from "./scenario.mjs";

const [, , kind, steps, optionsJson = "{}"] = process.argv;
const { bare, counts = false } = JSON.parse(optionsJson);
const folder = mkdtempSync(join(process.env.HAFT_BENCH_FOLDER ?? tmpdir(), "haft-bench-log-"));

async function main() {
  const counting = counts && countStatements(kind);
  const opened = await open();
  const { runOf, close } = opened;
  await runOf(20)();
  if (bare) return compare(opened);
  const run = runOf(Number(steps));
  const [writtenBefore, cpuBefore, started] = [bytesWritten(), process.cpuUsage(), performance.now()];
  statements.count = 0;
  await run();
  const wallMs = performance.now() - started;
  const { user, system } = process.cpuUsage(cpuBefore);
  const written = bytesWritten() - writtenBefore;
  await close();
  return { wallMs, cpuMs: (user + system) / 1000, bytes: written, ...(counting && { statements: statements.count }) };
}

async function open() {
  if (kind === "langgraph-sqlite") {
    const peer = await import("./peers/langgraph-sqlite/peer.mjs");
    const agent = peer.makeLogged(await peer.load(), folder);
    return { runOf: (count) => checked(() => agent.run(makeScenario(`seq${count}`))), close: async () => {} };
  }
  const peer = await import("./peers/haft/peer.mjs");
  const library = await peer.load();
  const store = await openStore(kind, folder);
  let number = 0;
  const runOf = (count) => {
    const session = `bench-${process.pid}-${++number}`;
    return checked(() => peer.makeAgent(library, makeScenario(`seq${count}`), { store, session }).run());
  };
  return { runOf, close: async () => store.close?.() };
}

function checked(run) {
  return async () => {
    const text = await run();
    if (text !== finalText) throw new Error(`wrong answer: ${JSON.stringify(text)}`);
  };
}

/** The run beside as many bare syncs of as many bytes, which take turns, so that noise hits both alike. */
async function compare({ runOf, close }) {
  const samples = { own: [], bare: [] };
  const file = openSync(join(folder, "bare"), "a");
  const piece = Buffer.alloc(Math.round(bare.bytes / bare.syncs), "x");
  const syncs = Math.round(bare.syncs * steps);
  const turns = { own: () => runOf(Number(steps))(), bare: () => syncAll(file, piece, syncs) };
  for (let round = -2; round < bare.rounds; round++) {
    for (const name of round % 2 ? ["own", "bare"] : ["bare", "own"]) {
      const started = performance.now();
      await turns[name]();
      if (round >= 0) samples[name].push((performance.now() - started) / steps);
    }
  }
  closeSync(file);
  await close();
  return { ownMs: median(samples.own), bareMs: median(samples.bare) };
}

function syncAll(file, piece, syncs) {
  for (let index = 0; index < syncs; index++) {
    writeSync(file, piece);
    fdatasyncSync(file);
  }
}

function median(values) {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

main().then(
  (result) => end(result, 0),
  (error) => end({ error: String(error?.stack ?? error).slice(0, 300) }, 1),
);

function end(result, code) {
  rmSync(folder, { recursive: true, force: true });
  process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(code));
}
