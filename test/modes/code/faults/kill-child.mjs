/** A process that runs, or goes on with, three programs from the built package, in worker threads, until somebody kills it. */
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { execute, Snapshot, Tool } from "../../../../dist/index.js";
import { fileStore } from "../../../../dist/stores/index.js";
import { codeMode } from "../../../../dist/vm/index.js";

const { folder, decide = [] } = JSON.parse(process.argv[2]);

/** The second and third program use what the first one made. */
const codes = [
  "const out: string[] = [];\nfor (const n of [1, 2, 3]) out.push(await effect({ n }));",
  "const both = await Promise.all([again({ n: 4 }), effect({ n: 5 }), again({ n: 6 })]);\nout.push(...both);\nawait new Promise((resolve) => setTimeout(resolve, 5));",
  "out.push(await effect({ n: 7 }));\nreturn out.join();",
];

/** In the file, and on the disk, before anything else happens. */
function mark(line) {
  const file = openSync(join(folder, "effects.txt"), "a");
  writeSync(file, `${line}\n`);
  fsyncSync(file);
  closeSync(file);
}

function tool(name, more) {
  const handler = async ({ n }, { callId }) => {
    mark(callId);
    await sleep(3);
    return `${name} ${n}`;
  };
  return new Tool({ name, handler, ...more });
}

/** Answers by the place in the conversation, so that any process gives the same answer. */
const model = {
  specificationVersion: "v3",
  provider: "scripted",
  modelId: "by-place",
  async doGenerate({ prompt }) {
    const place = prompt.filter(({ role }) => role === "assistant").length;
    const said = prompt.at(-1)?.content?.[0]?.output?.value ?? "";
    const call = { type: "tool-call", toolCallId: `call_${place}`, toolName: "run_program" };
    const content = codes[place]
      ? [{ ...call, input: JSON.stringify({ code: codes[place] }) }]
      : [{ type: "text", text: `read: ${said}` }];
    const reason = codes[place] ? "tool-calls" : "stop";
    const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
    return { content, finishReason: { unified: reason, raw: reason }, usage, warnings: [] };
  },
  doStream() {
    throw new Error("nobody watches");
  },
};

const store = fileStore(join(folder, "sessions"));
const mode = codeMode({ typecheck: false });
const tools = [tool("effect"), tool("again", { idempotent: true })];
let log;
for (const { callId, decision } of decide)
  log = (log ?? new Snapshot("", await store.read("s"))).decide(callId, decision);
console.log("ready");
const result = await execute({ model, mode, tools, store, session: "s", prompt: "go", ...(log && { log }) });
const pending = (result.pending ?? []).map(({ callId, reason }) => ({ callId, reason }));
console.log(JSON.stringify({ status: result.status, output: result.output, error: result.error?.message, pending }));
