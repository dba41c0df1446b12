/** `haft log`: what happened in a session, for people or as JSON, and what happens from now on. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Entry } from "../../core/log.ts";
import type { SessionStore } from "../../core/store.ts";
import { isGone, knownSession, type StoreFlags } from "../../project/index.ts";
import { exitCodes } from "../exit-codes.ts";
import { findSession, MANY } from "../find-session.ts";
import { LogView } from "../render/log-view.ts";
import { Screen } from "../render/screen.ts";
import { hasEnded } from "../session-rows.ts";
import { onStopSignal, type StopSignal, signalExitCodes } from "../signals.ts";
import { withStore } from "../with-store.ts";

export interface LogFlags extends StoreFlags {
  json?: boolean;
  /** Entries with a greater `seq`. */
  after?: number;
  follow?: boolean;
}

/** Milliseconds between two looks into the store. */
const LOOK = 250;

export async function logCommand(given: string, flags: LogFlags): Promise<number> {
  const stop = new AbortController();
  let signal: StopSignal | undefined;
  const ignore = onStopSignal((name) => {
    signal ??= name;
    stop.abort();
  });
  try {
    await withStore(flags, async (store) => show(store, await findSession(store, given), flags, stop.signal));
  } finally {
    ignore();
  }
  return signal ? signalExitCodes[signal] : exitCodes.success;
}

async function show(store: SessionStore, session: string, flags: LogFlags, stop: AbortSignal): Promise<void> {
  const { after = -1, follow, json } = flags;
  const view = new LogView(new Screen());
  const print = async (entries: readonly Entry[]) => {
    for (const entry of entries) {
      if (stop.aborted) return;
      if (json) await written(`${JSON.stringify(entry)}\n`, stop);
      else view.entry(entry);
    }
  };
  const entries = await knownSession(store, session);
  await print(entries.filter(({ seq }) => seq > after));
  if (follow) await goOn(store, session, { entries, print, stop, after });
}

interface Following {
  /** What was read so far. */
  entries: readonly Entry[];
  print(entries: readonly Entry[]): Promise<void>;
  stop: AbortSignal;
  after: number;
}

/** Until the run has ended, or nobody works on it any more. */
async function goOn(store: SessionStore, session: string, { entries, print, stop, after }: Following): Promise<void> {
  let last = entries.at(-1)!.seq;
  let isOver = hasEnded(entries);
  while (!isOver && !stop.aborted) {
    const isHeld = await hasWorker(store, session);
    const more = await store.read(session, last); // what was written before it was given back is in it
    await print(more.filter(({ seq }) => seq > after));
    last = more.at(-1)?.seq ?? last;
    isOver = !isHeld || hasEnded(more);
    if (!isOver) await sleep(LOOK, undefined, { signal: stop }).catch(() => {});
  }
}

async function hasWorker(store: SessionStore, session: string): Promise<boolean> {
  const worker = (await store.list({ limit: MANY })).find((info) => info.session === session)?.worker;
  return worker !== undefined && !isGone(worker);
}

/** A reader that is slow is waited for; one that has gone is not. */
function written(text: string, stop: AbortSignal): Promise<void> | void {
  if (process.stdout.write(text)) return;
  return new Promise((resolve) => {
    process.stdout.once("drain", resolve);
    stop.addEventListener("abort", () => resolve(), { once: true });
  });
}
