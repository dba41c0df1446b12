/** A process that runs, or goes on with, scripted runs of one store, several at the same time, until somebody kills it. */
import { createHash } from "node:crypto";
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "../../../src/core/log.ts";
import { execute, type LanguageModel, Snapshot, Tool } from "../../../src/index.ts";
import type { Order } from "./life.ts";
import { openStore } from "./open-store.ts";

const { where, effects, sessions, script, ttlMs, toolMs }: Order = JSON.parse(process.argv[2]!);
const store = openStore(where);

/** Each line is with its reader before anything else happens, also when this process dies the moment after. */
function say(...words: (string | number)[]): void {
  writeSync(1, `${words.join(" ")}\n`);
}

/** In the file, and on the disk, before anything else happens. */
function mark(...words: (string | number)[]): void {
  const file = openSync(effects, "a");
  writeSync(file, `${words.join(" ")}\n`);
  fsyncSync(file);
  closeSync(file);
}

/** The same store, which says aloud what it has acknowledged. */
const acknowledging: Store = {
  read: (session, after) => store.read(session, after),
  append(session, entries, options) {
    const acknowledge = () => {
      for (const entry of entries) say("ack", session, entry.seq, digest(entry), entry.type, entry.key);
      say("appended", session);
    };
    const written = store.append(session, entries, options);
    return written ? written.then(acknowledge) : acknowledge();
  },
};

function tool(session: string, name: string, more = {}): Tool {
  const handler = async ({ n }: { n: number }, { callId }: { callId: string }) => {
    mark(session, callId, name, n, process.pid);
    await sleep(toolMs * (1 + (n % 3)));
    return `did ${name} ${n}`;
  };
  return new Tool({ name, handler, ...more });
}

/** Answers by the place in the conversation, so that any process gives the same answer; says what it was asked. */
function modelOf(session: string): LanguageModel {
  return {
    specificationVersion: "v3",
    provider: "scripted",
    modelId: "by-place",
    async doGenerate({ prompt }) {
      const place = prompt.filter(({ role }: { role: string }) => role === "assistant").length;
      say("asked", session, place, digest(prompt));
      await sleep(toolMs);
      const calls = script[place] ?? [];
      const content: object[] = calls.map(({ name, n }, index) => ({
        type: "tool-call",
        toolCallId: `call_${place}_${index}`,
        toolName: name,
        input: JSON.stringify({ n }),
      }));
      if (content.length === 0) content.push({ type: "text", text: `after ${place} answers` });
      const reason = calls.length > 0 ? "tool-calls" : "stop";
      const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
      return { content, finishReason: { unified: reason, raw: reason }, usage, warnings: [] };
    },
    doStream() {
      throw new Error("nobody watches");
    },
  };
}

function digest(value: unknown): string {
  return createHash("sha1").update(JSON.stringify(value)).digest("hex").slice(0, 16);
}

/** Waits for its turn. Nobody renews: a whole run is shorter than a claim, or the test wants it to be lost. */
async function claim(session: string): Promise<number> {
  for (;;) {
    const claim = await store.claim(session, { worker: `${process.pid}`, ttlMs });
    if (claim.granted) return claim.epoch;
    await sleep(Math.min(claim.expiresInMs, 20));
  }
}

async function goOn({ session, decide }: Order["sessions"][number]): Promise<void> {
  const epoch = await claim(session);
  say("claimed", session, epoch);
  let log: Snapshot | undefined;
  for (const { callId, decision } of decide)
    log = (log ?? new Snapshot("", await store.read(session))).decide(callId, decision);
  const tools = [
    tool(session, "effect"),
    tool(session, "again", { idempotent: true }),
    tool(session, "look", { readOnly: true }),
  ];
  const options = { model: modelOf(session), tools, store: acknowledging, session, epoch, prompt: "go" };
  const result: any = await execute({ ...options, ...(log && { log }) });
  const pending = (result.pending ?? []).map(({ callId, name, reason }: any) => ({ callId, name, reason }));
  const { status, output, error } = result;
  await store.release(session, { epoch }).catch(() => {}); // a store that has failed may fail again
  say("end", session, JSON.stringify({ status, output, code: error?.code, message: error?.message, pending }));
}

/** A run that cannot even begin is told like one that failed. */
function tellFailure(session: string, error: any): void {
  say(
    "end",
    session,
    JSON.stringify({ status: "error", code: error.code ?? error.name, message: error.message, pending: [] }),
  );
}

say("ready");
await Promise.all(sessions.map((one) => goOn(one).catch((error) => tellFailure(one.session, error))));
await store.close().catch(() => {});
