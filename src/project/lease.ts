/** Whose turn it is in a project: a session is held by one process while it works, and taken from one that is gone. */
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { HaftError } from "../base/errors.ts";
import type { SessionStore } from "../core/store.ts";
import { isAlive, ownName } from "../stores/file/process-id.ts";

/** Milliseconds after which the session of a machine that is gone is anybody's. */
const TTL_MS = 30_000;
/** Whoever writes a decision has it for a moment: that is waited for. */
const WAIT_MS = 500;

/** First for people; then what tells this process from a later one of the same number. */
const worker = `${hostname()}:${process.pid} ${ownName}`;

export interface HeldSession {
  /** What appends carry while it is held. */
  readonly epoch: number;
  /** Aborts when another process has taken it over, after this one did not get to run for longer than a lease lasts. */
  readonly lost: AbortSignal;
  /** Gives it back, once. Never rejects: a store that cannot be told lets it run out. */
  end(): Promise<void>;
}

/** Renewed until its end. @throws HaftError SESSION_BUSY */
export async function holdSession(store: SessionStore, session: string): Promise<HeldSession> {
  const epoch = await claim(store, session);
  const taken = new AbortController();
  const timer = setInterval(async () => {
    const isOurs = await store.renew(session, { epoch, ttlMs: TTL_MS }).catch(() => true); // what is written next tells
    if (isOurs) return;
    clearInterval(timer);
    taken.abort(lost(session));
  }, TTL_MS / 3);
  timer.unref();
  return {
    epoch,
    lost: taken.signal,
    async end() {
      clearInterval(timer);
      await store.release(session, { epoch }).catch(() => {});
    },
  };
}

/** Holds it for as long as `work` takes. */
export async function withSession<T>(
  store: SessionStore,
  session: string,
  work: (held: HeldSession) => Promise<T>,
): Promise<T> {
  const held = await holdSession(store, session);
  try {
    return await work(held);
  } finally {
    await held.end();
  }
}

async function claim(store: SessionStore, session: string): Promise<number> {
  for (let waitedMs = 0; ; waitedMs += 50) {
    const answer = await store.claim(session, { worker, ttlMs: TTL_MS });
    if (answer.granted) return answer.epoch;
    if (isGone(answer.worker) && answer.epoch !== undefined) {
      await store.release(session, { epoch: answer.epoch }); // of theirs only: whoever took it meanwhile keeps it
      continue;
    }
    if (waitedMs >= WAIT_MS) throw busy(session, answer);
    await sleep(50);
  }
}

/** A process of this machine that has ended without giving back what it held. */
export function isGone(worker: string): boolean {
  const [, ...name] = worker.split(" ");
  return isAlive(name.join(" ")) === false;
}

/** For people: "host:pid". */
export function workerName(worker: string): string {
  return worker.split(" ", 1)[0]!;
}

function busy(session: string, { worker, expiresInMs }: { worker: string; expiresInMs: number }): HaftError {
  const name = workerName(worker);
  return new HaftError("SESSION_BUSY", `Session "${session}" is busy: ${name} works on it.`, {
    hint: `Wait until it is done, or stop it. If its machine is gone, the session is free in ${Math.ceil(expiresInMs / 1000)} s.`,
    data: { session, worker: name, expiresInMs },
  });
}

function lost(session: string): HaftError {
  return new HaftError("SESSION_LOST", `Another process has taken over session "${session}".`, {
    hint: "Nothing more was written or started here. The session goes on there; haft log shows it.",
    data: { session },
  });
}
