/**
 * This library beside its peers, in one run.
 *
 *   npm run bench                                 what is installed
 *   npm run bench -- --install pi,ai6             installs peers first, each in its own folder
 *   npm run bench -- --tasks code100,codemem --install llmz,cf-codemode
 *   npm run bench -- --isolated                   only what the isolated sandbox adds to bubblewrap
 *   npm run bench -- --tasks redaction            what taking secrets out costs, alone
 *   npm run bench -- --tasks log --install langgraph-sqlite    what the log costs, with each store
 *   npm run bench -- --tasks text,seq50 --peers haft,pi --reps 5 --node /path/to/node
 *
 * Each figure is the median of whole processes, which take turns, so that noise hits all alike. CPU is user and system
 * time of the whole process, garbage collection and compilation included: on a busy machine it moves far less than
 * wall time. The ratios are what to read.
 */
import { execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { benchIsolated } from "./isolated.mjs";
import { benchLog } from "./log.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const flag = (name, fallback) => {
  const index = process.argv.indexOf(`--${name}`);
  return index < 0 ? fallback : process.argv[index + 1];
};

if (process.argv.includes("--isolated")) {
  await benchIsolated();
  process.exit();
}

const tasks = {
  import: { title: "import (cold)", options: {} },
  text: { title: "text", options: { runs: 500, warmUp: 200 } },
  par10: { title: "10 parallel calls", options: { runs: 200, warmUp: 60 } },
  seq50: { title: "50 steps", options: { runs: 8, warmUp: 3 } },
  seq200: { title: "200 steps", options: { runs: 4, warmUp: 1 } },
  seq500: { title: "500 steps", options: { runs: 2, warmUp: 0 } },
  stream10000: { title: "10,000 chunks", options: { runs: 3, warmUp: 1 } },
  "seq2:conc1000": { title: "1,000 concurrent", options: { concurrent: 1000, latencyMs: 50 } },
  // Does a step cost more when many came before it? 2,000 steps to warm up and 2,000 to measure in both, or the row would
  // tell how long compilation takes.
  "seq50:warm": { title: "50 steps, warm", options: { runs: 40, warmUp: 40 } },
  "seq500:warm": { title: "500 steps, warm", options: { runs: 4, warmUp: 4 } },
  codefresh: { title: "a program", options: { runs: 40, warmUp: 10 } },
  // After 3,000 calls in all libraries; before that, the row would tell how long V8 takes to compile them. "cold" does.
  code100: { title: "100 calls in one", options: { runs: 40, warmUp: 30 } },
  code1000: { title: "1,000 calls in one", options: { runs: 5, warmUp: 3 } },
  "code100:cold": { title: "100 calls, cold", options: { runs: 5, warmUp: 0 } },
  // Of 100 programs that wait for a tool at the same time. The heap is the main thread's, WASM memory included.
  codemem: { figures: { rssKb: "held open, KB RSS", heapKb: "held open, KB heap" }, options: { programs: 100 } },
  codetokens: { figures: { tokens: "tokens of a tool" }, options: {} },
};

const allPeers = ["haft", "floor", "pi", "ai6", "ai7", "haft-inline", "haft-checked", "llmz", "cf-codemode"];
/** Models of the first answer with calls, of the second with programs. */
const callPeers = ["haft", "floor", "pi", "ai6", "ai7"];
const programPeers = ["haft", "haft-inline", "haft-checked", "llmz", "cf-codemode"];
const reps = Number(flag("reps", "5"));
const node = flag("node", process.execPath);
const asked = flag("tasks", [...Object.keys(tasks), "redaction", "log"].join(",")).split(",");
const wanted = asked.filter((task) => task in tasks);

const nodeRoot = dirname(dirname(process.execPath));
for (const name of flag("install", "").split(",").filter(Boolean)) {
  console.log(`installing ${name}`);
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: `${here}peers/${name}`,
    stdio: "inherit",
    // What has to be built is built from the headers that came with Node, where they did.
    env: { ...process.env, ...(existsSync(`${nodeRoot}/include/node/node.h`) && { npm_config_nodedir: nodeRoot }) },
  });
}

const isInstalled = (name) =>
  ["haft", "haft-inline", "haft-checked", "floor"].includes(name) || existsSync(`${here}peers/${name}/node_modules`);
const chosen = flag("peers", allPeers.join(",")).split(",");
const peers = chosen.filter(isInstalled);
const missing = chosen.filter((name) => !isInstalled(name));

console.log(
  `Node ${execFileSync(node, ["-v"]).toString().trim()}, median of ${reps} processes, CPU ms of a run; × is the ratio to haft`,
);
if (missing.length > 0) console.log(`not installed, left out: ${missing.join(", ")} (--install ${missing.join(",")})`);
console.log(["task".padEnd(20), ...peers.map((name) => name.padStart(18))].join(""));

const results = {};
for (const task of wanted) {
  const { title, options, figures = { cpuMs: title } } = tasks[task];
  const able = peers.filter((name) => (task.startsWith("code") ? programPeers : callPeers).includes(name));
  const samples = Object.fromEntries(able.map((name) => [name, []]));
  for (let round = 0; round < (task === "codetokens" ? 1 : reps); round++) {
    for (let turn = 0; turn < able.length; turn++) {
      const name = able[(turn + round) % able.length];
      samples[name].push(await runProcess(name, task, options));
    }
  }
  results[task] = Object.fromEntries(able.map((name) => [name, summary(samples[name])]));
  for (const [figure, label] of Object.entries(figures)) printRow(label, figure, results[task]);
  printReasons(results[task]);
}
printSteps();
printVerdict();
await benchIsolated();
if (asked.includes("log")) await benchLog({ node, reps });
if (asked.includes("redaction")) (await import("./redaction.mjs")).printRedaction();

function runProcess(peer, task, options) {
  return new Promise((resolve) => {
    const args = ["--expose-gc", `${here}worker.mjs`, peer, task, JSON.stringify(options)];
    const child = spawn(node, args, {
      cwd: here,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, NODE_NO_WARNINGS: "1" },
    });
    const timer = setTimeout(() => child.kill("SIGKILL"), 180_000);
    let out = "";
    let err = "";
    child.stdout.on("data", (data) => (out += data));
    child.stderr.on("data", (data) => (err += data));
    child.on("close", (code) => {
      clearTimeout(timer);
      const line = out.trim().split("\n").at(-1);
      try {
        resolve(JSON.parse(line));
      } catch {
        resolve({ error: `exit ${code}: ${(err || out).slice(-200)}` });
      }
    });
  });
}

function printRow(label, figure, result) {
  const own = result.haft?.[figure];
  const cells = peers.map((name) => cell(result[name]?.[figure], own).padStart(18));
  console.log([label.padEnd(20), ...cells].join(""));
}

/** Why there is no figure. */
function printReasons(result) {
  const failed = peers.filter((name) => result[name]?.error);
  for (const name of failed) console.log(`  ${name}: ${result[name].error}`);
}

function summary(samples) {
  const good = samples.filter(({ error }) => !error);
  const bad = samples.find(({ error }) => error)?.error;
  if (good.length === 0) return { error: bad };
  const median = (key) => good.map((sample) => sample[key]).sort((a, b) => a - b)[Math.floor(good.length / 2)];
  const figures = Object.keys(good[0]).map((key) => [key, median(key)]);
  return { ...Object.fromEntries(figures), ...(bad && { error: bad }) };
}

/** A library that cannot do a task, or was not asked to, has no figure. */
function cell(figure, own) {
  if (figure === undefined) return "-";
  const number = figure >= 100 ? figure.toFixed(0) : figure >= 1 ? figure.toFixed(1) : figure.toFixed(3);
  return own ? `${number} ×${(figure / own).toFixed(2)}` : number;
}

/** How the cost of a step grows with the history: 1 is not at all. */
function printSteps() {
  const [few, many] = [results["seq50:warm"], results["seq500:warm"]];
  if (!few || !many) return;
  const growthOf = (name) => (many[name]?.cpuMs / 500 / (few[name]?.cpuMs / 50)).toFixed(2);
  const growth = peers.map((name) => (callPeers.includes(name) ? growthOf(name) : "-").padStart(18));
  console.log(["a step at 500 ÷ 50".padEnd(20), ...growth].join(""));
}

/** The bounds that this project keeps: at most 1.25 of pi in every row, and a step at 500 at most 1.3 of one at 50. */
function printVerdict() {
  if (!peers.includes("pi")) return;
  const rows = wanted.filter((task) => !task.endsWith(":warm")); // those are there for the growth of a step
  const over = rows.filter((task) => results[task].haft?.cpuMs > 1.25 * results[task].pi?.cpuMs);
  console.log(over.length === 0 ? "haft ≤ 1.25 × pi in every row" : `haft > 1.25 × pi in: ${over.join(", ")}`);
}
