/** A process that runs, or goes on with, a run that has runs inside its calls, and is killed where it is told. */
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Store } from "../../../src/core/log.ts";
import { type Decision, execute, type LanguageModel, Snapshot, Tool } from "../../../src/index.ts";
import { fileStore } from "../../../src/stores/index.ts";

export interface NestedOrder {
  folder: string;
  /** Only entries before this one reach the disk. */
  killAtEntry?: number;
  /** A line of the file of effects, after which the process is killed; or before it is written. */
  killAfter?: string;
  killBefore?: string;
  decide?: { callId: string; decision: Decision }[];
}

const { folder, killAtEntry, killAfter, killBefore, decide }: NestedOrder = JSON.parse(process.argv[2]!);

function die(): never {
  process.kill(process.pid, "SIGKILL");
  for (;;);
}

/** In the file, and on the disk, before anything else happens. */
function mark(line: string): void {
  if (line === killBefore) die();
  const file = openSync(join(folder, "effects.txt"), "a");
  writeSync(file, `${line}\n`);
  fsyncSync(file);
  closeSync(file);
  if (line === killAfter) die();
}

const effect = new Tool({
  name: "effect",
  handler: ({ n }) => {
    mark(`effect ${n}`);
    return `did ${n}`;
  },
});

/** Answers by the place in the conversation, so that any process gives the same answer. */
function model(name: string, script: readonly (readonly [name: string, input: unknown][])[]): LanguageModel {
  return {
    specificationVersion: "v3",
    provider: "scripted",
    modelId: name,
    async doGenerate({ prompt }) {
      const place = prompt.filter(({ role }: { role: string }) => role === "assistant").length;
      mark(`model ${name} ${place + 1}`);
      const calls = script[place]?.map(([toolName, input], index) => ({
        type: "tool-call",
        toolCallId: `call_${place + 1}_${index + 1}`,
        toolName,
        input: JSON.stringify(input),
      }));
      const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
      const finishReason = { unified: calls ? "tool-calls" : "stop", raw: "end" };
      return { content: calls ?? [{ type: "text", text: `${name} is done` }], finishReason, usage, warnings: [] };
    },
    doStream() {
      throw new Error("nobody watches");
    },
  };
}

const give = (role: string): [string, unknown] => ["subagent", { role, task: "go" }];
const does = (n: number): [string, unknown] => ["effect", { n }];

const files = fileStore(join(folder, "sessions"));

const store: Store = {
  read: files.read,
  async append(session, entries, options) {
    const kept = killAtEntry === undefined ? entries : entries.filter(({ seq }) => seq < killAtEntry);
    if (kept.length > 0) await files.append(session, kept, options);
    if (kept.length < entries.length) die();
  },
};

async function main() {
  const options = {
    model: model("top", [[give("a"), does(1)]]),
    tools: [effect],
    subagents: {
      a: {
        model: model("a", [[does(2), give("b")], [does(3)]]),
        tools: [effect],
        subagents: { b: { model: model("b", [[does(4)]]), tools: [effect] } },
      },
    },
    ...{ store, session: "s", prompt: "go" },
  };
  let log: Snapshot | undefined;
  for (const { callId, decision } of decide ?? [])
    log = (log ?? new Snapshot("", await files.read("s"))).decide(callId, decision);
  const result: any = await execute(log ? { ...options, log } : options);
  const pending = (result.pending ?? []).map(({ callId, reason, input }: any) => ({ callId, reason, input }));
  return { status: result.status, code: result.error?.code, output: result.output, pending };
}

main().then((report) => console.log(JSON.stringify(report)));
