/** A process that runs, or goes on with, one scripted run, and is killed where it is told. */
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Store } from "../../../src/core/log.ts";
import { type Decision, Exit, execute, type LanguageModel, Snapshot, Tool } from "../../../src/index.ts";
import { fileStore } from "../../../src/stores/index.ts";

export interface Order {
  folder: string;
  /** One list of calls an answer; the exit `finish` comes after the last one. */
  script: { name: string; input: unknown }[][];
  /** Only entries before this one reach the disk. */
  killAtEntry?: number;
  /** `effect 1`: in this handler. */
  killIn?: string;
  killWhen?: "before its effect" | "after its effect";
  decide?: { callId: string; decision: Decision }[];
}

export interface Report {
  status: string;
  code?: string;
  output?: unknown;
  pending: { callId: string; reason: string; input: unknown }[];
}

const { folder, script, killAtEntry, killIn, killWhen, decide }: Order = JSON.parse(process.argv[2]!);

/** In the file, and on the disk, before anything else happens. */
function mark(line: string): void {
  const file = openSync(join(folder, "effects.txt"), "a");
  writeSync(file, `${line}\n`);
  fsyncSync(file);
  closeSync(file);
}

function die(): never {
  process.kill(process.pid, "SIGKILL");
  for (;;);
}

function tool(name: string, more: Partial<ConstructorParameters<typeof Tool>[0]> = {}) {
  return new Tool({
    name,
    input: z.object({ n: z.number() }),
    handler({ n }) {
      const effect = `${name} ${n}`;
      if (killIn === effect && killWhen === "before its effect") die();
      mark(effect);
      if (killIn === effect) die();
      return `did ${effect}`;
    },
    ...more,
  });
}

const tools = [
  tool("effect"),
  tool("again", { idempotent: true }),
  tool("look", { readOnly: true }),
  tool("pay", { approval: true }),
  tool("payAgain", { approval: true, idempotent: true }),
];

const finish = new Exit({ name: "finish", schema: z.object({ said: z.string() }) });

/** Answers by the place in the conversation, so that any process gives the same answer. */
const model: LanguageModel = {
  specificationVersion: "v3",
  provider: "scripted",
  modelId: "by-place",
  async doGenerate({ prompt }) {
    const place = prompt.filter(({ role }: { role: string }) => role === "assistant").length;
    mark(`model ${place + 1}`);
    const calls = script[place] ?? [{ name: "finish", input: { said: `after ${place} answers` } }];
    const content = calls.map(({ name, input }, index) => ({
      type: "tool-call",
      toolCallId: `call_${place + 1}_${index + 1}`,
      toolName: name,
      input: JSON.stringify(input),
    }));
    const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
    return { content, finishReason: { unified: "tool-calls", raw: "tool-calls" }, usage, warnings: [] };
  },
  doStream() {
    throw new Error("nobody watches");
  },
};

const files = fileStore(join(folder, "sessions"));

const store: Store = {
  read: files.read,
  async append(session, entries, options) {
    const kept = killAtEntry === undefined ? entries : entries.filter(({ seq }) => seq < killAtEntry);
    if (kept.length > 0) await files.append(session, kept, options);
    if (kept.length < entries.length) die();
  },
};

async function main(): Promise<Report> {
  const options = { model, tools, exits: [finish], store, session: "s", prompt: "go" };
  let log: Snapshot | undefined;
  for (const { callId, decision } of decide ?? [])
    log = (log ?? new Snapshot("", await files.read("s"))).decide(callId, decision);
  const result: any = await execute(log ? { ...options, log } : options);
  const pending = (result.pending ?? []).map(({ callId, reason, input }: any) => ({ callId, reason, input }));
  return { status: result.status, code: result.error?.code, output: result.output, pending };
}

main().then((report) => console.log(JSON.stringify(report)));
