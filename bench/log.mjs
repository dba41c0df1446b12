/**
 * What the log costs: runs of one-call steps with each store, beside LangGraph's SQLite checkpointer, and beside bare syncs of the same
 * bytes into one file.
 *
 *   npm run bench -- --tasks log
 *   npm run bench -- --tasks log --install langgraph-sqlite
 *   DATABASE_URL=postgres://… npm run bench -- --tasks log
 *
 * Times are medians of whole processes that take turns. Statements, bytes and syncs are counted in processes of their own, for
 * 10, 100 and 1,000 steps: they do not depend on the machine, so they tell whether a step costs more when many came before it.
 */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stores } from "./log-stores.mjs";

const WORKER = fileURLToPath(new URL("./log-worker.mjs", import.meta.url));
const LANGGRAPH = "langgraph-sqlite";
const STEPS = [10, 100, 1000];
const TIMED = 100;
/** Of a strict SQLite: syncs of a step, and how much longer a step may take than as many bare syncs of its bytes. */
const [MOST_SYNCS, AIM] = [3, 1.5];

export async function benchLog({ node = process.execPath, reps = 5 } = {}) {
  const kinds = [...stores, LANGGRAPH].filter(isHere);
  const left = [...stores, LANGGRAPH].filter((kind) => !kinds.includes(kind));
  console.log(`\nthe log, per step of one call; × is the ratio to sqlite-strict`);
  if (left.length > 0)
    console.log(
      `left out: ${left.join(", ")} (a Postgres is named by DATABASE_URL, ${LANGGRAPH} comes with --install)`,
    );
  console.log(["".padEnd(26), ...kinds.map((kind) => kind.padStart(20))].join(""));
  const counted = await countAll(node, kinds);
  const times = await timeAll(node, kinds, reps);
  printRow("CPU ms", kinds, (kind) => times[kind]?.cpuMs / TIMED);
  printRow("wall ms", kinds, (kind) => times[kind]?.wallMs / TIMED);
  for (const [what, label] of [
    ["syncs", "syncs"],
    ["statements", "statements"],
    ["bytes", "bytes written"],
  ])
    for (const steps of STEPS)
      printRow(`${label}, ${steps} steps`, kinds, (kind) => counted[kind]?.[steps][what] / steps);
  for (const kind of kinds.filter((name) => ["file", "sqlite-strict"].includes(name)))
    await printBare(node, kind, counted[kind]);
  printVerdict(counted["sqlite-strict"]);
}

function isHere(kind) {
  if (kind === "postgres") return Boolean(process.env.DATABASE_URL);
  if (kind === LANGGRAPH) return existsSync(fileURLToPath(new URL(`./peers/${kind}/node_modules`, import.meta.url)));
  return true;
}

/** Without what a process does that makes no step. */
async function countAll(node, kinds) {
  const counted = {};
  for (const kind of kinds) {
    counted[kind] = {};
    const none = await count(node, kind, 0);
    for (const steps of STEPS) {
      const all = await count(node, kind, steps);
      counted[kind][steps] = {
        ...Object.fromEntries(
          ["syncs", "statements", "bytes"].map((what) => [what, Math.max(0, all[what] - none[what])]),
        ),
        error: all.error,
      };
    }
  }
  return counted;
}

async function count(node, kind, steps) {
  const folder = mkdtempSync(join(tmpdir(), "haft-bench-strace-"));
  const to = join(folder, "syncs.txt");
  const trace = hasStrace() ? ["strace", "-f", "--seccomp-bpf", "-e", "trace=fsync,fdatasync", "-o", to] : [];
  const result = await run([...trace, node, WORKER, kind, `${steps}`, JSON.stringify({ counts: true })]);
  const syncs = trace.length > 0 ? (readFileSync(to, "utf8").match(/\bf(data)?sync\(/g)?.length ?? 0) : Number.NaN;
  rmSync(folder, { recursive: true, force: true });
  return { ...result, syncs };
}

function hasStrace() {
  try {
    execFileSync("strace", ["-V"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

async function timeAll(node, kinds, reps) {
  const samples = Object.fromEntries(kinds.map((kind) => [kind, []]));
  for (let round = 0; round < reps; round++)
    for (let turn = 0; turn < kinds.length; turn++) {
      const kind = kinds[(turn + round) % kinds.length];
      samples[kind].push(await run([node, WORKER, kind, `${TIMED}`]));
    }
  const median = (kind, key) =>
    samples[kind].map((sample) => sample[key]).sort((a, b) => a - b)[Math.floor(samples[kind].length / 2)];
  return Object.fromEntries(
    kinds.map((kind) => [kind, { cpuMs: median(kind, "cpuMs"), wallMs: median(kind, "wallMs") }]),
  );
}

/** As many bare syncs of as many bytes: what the disk asks for the same promise. */
async function printBare(node, kind, counted) {
  const { syncs, bytes } = counted[1000] ?? {};
  if (!(syncs > 0)) return;
  const bare = { syncs: syncs / 1000, bytes: bytes / 1000, rounds: 12 };
  const { ownMs, bareMs, error } = await run([node, WORKER, kind, "40", JSON.stringify({ bare })]);
  if (error) return console.log(`${kind} beside bare syncs: ${error}`);
  const aim = kind === "sqlite-strict" ? ` (aim ≤ ${AIM})` : "";
  console.log(
    `${kind}: ${ownMs.toFixed(2)} ms a step, ${bare.syncs.toFixed(2)} bare syncs of the same ${bare.bytes.toFixed(0)} bytes ${bareMs.toFixed(2)} ms: ×${(ownMs / bareMs).toFixed(2)}${aim}`,
  );
}

function printVerdict(strict) {
  if (!strict) return;
  const perStep = (what, steps) => strict[steps][what] / steps;
  const growth = ["statements", "bytes"].map(
    (what) => `${what} ×${(perStep(what, 1000) / perStep(what, 100)).toFixed(2)}`,
  );
  console.log(
    `sqlite-strict: ${perStep("syncs", 1000).toFixed(2)} syncs a step (at most ${MOST_SYNCS}); a step at 1,000 ÷ one at 100: ${growth.join(", ")}`,
  );
}

function printRow(label, kinds, figureOf) {
  const own = figureOf("sqlite-strict");
  const cells = kinds.map((kind) => cell(figureOf(kind), own).padStart(20));
  console.log([label.padEnd(26), ...cells].join(""));
}

function cell(figure, own) {
  if (!Number.isFinite(figure)) return "-";
  const number = figure >= 100 ? figure.toFixed(0) : figure >= 1 ? figure.toFixed(2) : figure.toFixed(3);
  return own > 0 ? `${number} ×${(figure / own).toFixed(2)}` : number;
}

function run([program, ...args]) {
  return new Promise((resolve) => {
    const env = { ...process.env, NODE_NO_WARNINGS: "1" };
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], env });
    let [out, err] = ["", ""];
    child.stdout.on("data", (data) => (out += data));
    child.stderr.on("data", (data) => (err += data));
    child.on("close", (code) => {
      try {
        resolve(JSON.parse(out.trim().split("\n").at(-1)));
      } catch {
        resolve({ error: `exit ${code}: ${(err || out).slice(-200)}` });
      }
    });
  });
}
