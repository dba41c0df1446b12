/** Short words for the tests of complaints: databases, and sessions that other objects open. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, type AgentOptions, type Session, type Store } from "../../src/index.ts";
import { memoryStore, sqliteStore } from "../../src/stores/index.ts";
import { type ScriptedStep, scriptedModel } from "../../src/testing/index.ts";
import { asks, never, sleep } from "../engine/support.ts";

/** What handlers do that should not be done. */
export const badHandlers: Record<string, () => unknown> = {
  "never ends": () => never,
  "ends too late": () => sleep(200),
  throws: () => {
    throw new Error("no line");
  },
  "throws nothing": () => {
    throw undefined;
  },
  "gives what cannot be written": () => () => {},
  "rejects late": () => sleep(1).then(() => Promise.reject(new Error("late"))),
};

/** A database of its own. Every `open` is a store with its own connection; all end with it. */
export function database() {
  const folder = mkdtempSync(join(tmpdir(), "haft-complaints-"));
  const stores: ReturnType<typeof sqliteStore>[] = [];
  return {
    open() {
      const store = sqliteStore(join(folder, "haft.db"), { durability: "fast" });
      stores.push(store);
      return store;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(stores.map((store) => store.close()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What another process would have: an agent, a store and a session of its own, which does not wait for anybody. */
export function elsewhere(
  { open }: Pick<ReturnType<typeof database>, "open">,
  options: Omit<AgentOptions<any>, "name">,
): Session {
  return new Agent({ name: "elsewhere", ...options }).session({ id: "s", store: open(), whenBusy: "refuse" });
}

/** Says that it has kept something only some time after it has. `acknowledged`: type and key of what it has said so of. */
export function slowStore() {
  const kept = memoryStore();
  const acknowledged: string[] = [];
  const store: Store = {
    read: kept.read,
    async append(session, entries, options) {
      await kept.append(session, entries, options);
      await sleep(2);
      acknowledged.push(...entries.map(({ type, key }) => `${type} ${key}`));
    },
  };
  return { store, acknowledged };
}

/** A model whose answer depends on what it is asked alone: many may share it. */
export function answering(answer: (request: { prompt: any[]; tools?: any[] }) => ScriptedStep | string) {
  return scriptedModel(Array(10_000).fill(answer));
}

/** A call of the tool of mode "tools" that gives a task. */
export function task(role: string, text = `be ${role}`): [name: string, input: unknown] {
  return ["subagent", { role, task: text }];
}

/** The user's words in a conversation, one after the other. */
export function saidIn(messages: readonly any[]): string[] {
  return messages
    .filter(({ role }) => role === "user")
    .map(({ content }) => content.map(({ text }: { text: string }) => text).join(""));
}

/** How many answers of the model a conversation has. */
export function answersIn(messages: readonly any[]): number {
  return messages.filter(({ role }) => role === "assistant").length;
}

export { asks };
