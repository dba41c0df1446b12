/** A worker in a process of its own: it runs one session, and stops itself, or is stopped, where it is told. */
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Entry } from "../../../src/core/log.ts";
import type { SessionStore } from "../../../src/core/store.ts";
import { Agent, type LanguageModel, type SessionOptions, Tool } from "../../../src/index.ts";
import { sqliteStore } from "../../../src/stores/index.ts";

export interface Order {
  folder: string;
  /** Who writes into the list of effects. */
  name: string;
  options: SessionOptions;
  /** Stops itself when this entry, and what was written with it, was acknowledged. */
  stopAfterEntry?: number;
  /** Stops itself in the handler of the first `effect`, before its effect. */
  stopInHandler?: boolean;
  /** How long a model thinks, and a handler works, in milliseconds. */
  modelMs?: number;
  handlerMs?: number;
}

export interface Report {
  status: string;
  code?: string;
  output?: unknown;
}

/** In the file, and on the disk, before anything else happens. */
export function mark(folder: string, line: string): void {
  const file = openSync(join(folder, "effects.txt"), "a");
  writeSync(file, `${line}\n`);
  fsyncSync(file);
  closeSync(file);
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Two answers with a call each, and an end: by the place in the conversation, so that any worker goes on alike. */
export function worker({ folder, name, modelMs = 0, handlerMs = 0, ...order }: Order, store: SessionStore): Agent {
  const model: LanguageModel = {
    specificationVersion: "v3",
    provider: "scripted",
    modelId: "by-place",
    async doGenerate({ prompt }) {
      const place = prompt.filter(({ role }: { role: string }) => role === "assistant").length + 1;
      mark(folder, `${name} model ${place}`);
      await sleep(modelMs);
      const call = { type: "tool-call", toolCallId: `call_${place}`, toolName: "effect", input: `{"n":${place}}` };
      const content = place > 2 ? [{ type: "text", text: "Over." }] : [call];
      const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
      return { content, finishReason: { unified: place > 2 ? "stop" : "tool-calls" }, usage, warnings: [] };
    },
    doStream() {
      throw new Error("nobody watches");
    },
  };
  const effect = new Tool({
    name: "effect",
    async handler({ n }: { n: number }) {
      mark(folder, `${name} begins ${n}`);
      if (order.stopInHandler && n === 1) process.kill(process.pid, "SIGSTOP");
      if (handlerMs > 0) await sleep(handlerMs);
      mark(folder, `${name} effect ${n}`);
      return `did ${n}`;
    },
  });
  return new Agent({ name, model, tools: [effect], store });
}

/** The store, and a worker that is held up at the worst moment: what it wrote is there, and it does not know yet. */
function stopping(store: SessionStore, seq: number): SessionStore {
  const parts = { ...bound(store) };
  return {
    ...parts,
    async append(session, entries: readonly Entry[], options) {
      await store.append(session, entries, options);
      if (entries.some((entry) => entry.seq === seq)) process.kill(process.pid, "SIGSTOP");
    },
  };
}

export function bound(store: SessionStore): SessionStore {
  return {
    read: (...args) => store.read(...args),
    append: (...args) => store.append(...args),
    claim: (...args) => store.claim(...args),
    renew: (...args) => store.renew(...args),
    release: (...args) => store.release(...args),
    list: (...args) => store.list(...args),
    close: () => store.close(),
  };
}

async function main(order: Order): Promise<Report> {
  const file = sqliteStore(join(order.folder, "log.db"));
  const store = order.stopAfterEntry === undefined ? file : stopping(file, order.stopAfterEntry);
  const result = await worker(order, store)
    .session({ ...order.options, id: "s" })
    .run("go");
  await file.close();
  const code = result.isError() ? result.error.code : undefined;
  return { status: result.status, ...(code && { code }), output: result.output };
}

if (process.argv[2]?.startsWith("{")) console.log(JSON.stringify(await main(JSON.parse(process.argv[2]))));
