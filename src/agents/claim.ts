/** Whose turn it is, across processes: a session of a store that knows is claimed before anything is done with it. */
import { hostname } from "node:os";
import { HaftError } from "../base/errors.ts";
import type { AbortListener, AbortSource } from "../core/context.ts";
import type { Store } from "../core/log.ts";
import type { SessionStore } from "../core/store.ts";
import { clock, Lease } from "./lease.ts";

export interface ClaimWishes {
  session: string;
  leaseMs: number;
  /** How long to wait for another worker. 0: not at all. */
  waitMs: number;
  abort?: AbortSource;
  /** Another worker has taken the session over. */
  onLost(error: HaftError): void;
}

/** Undefined for a store that knows no turns: there, whoever is behind finds out when it writes. */
export async function claim(store: Store, wishes: ClaimWishes): Promise<Lease | undefined> {
  if (!isSessionStore(store)) return undefined;
  const { session, leaseMs, waitMs, abort } = wishes;
  const startedAt = performance.now();
  for (let pauseMs = SHORTEST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    if (abort?.aborted) throw abort.reason;
    const askedAt = clock();
    const answer = await store.claim(session, { worker: `${hostname()}:${process.pid}`, ttlMs: leaseMs });
    if (answer.granted) {
      const lease = new Lease(store, answer.epoch, askedAt, wishes);
      if (!abort?.aborted) return lease;
      await lease.end();
      throw abort.reason;
    }
    const left = waitMs - (performance.now() - startedAt);
    if (left <= 0) throw busy(session, answer.worker);
    await pause(Math.min(pauseMs, Math.max(answer.expiresInMs, 1), left), abort);
  }
}

const SHORTEST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 1000;

function isSessionStore(store: Store): store is SessionStore {
  const { claim, renew, release } = store as Partial<SessionStore>;
  return [claim, renew, release].every((method) => typeof method === "function");
}

export function busy(session: string, worker: string): HaftError {
  return new HaftError("SESSION_BUSY", `Session "${session}" is busy: ${worker} works on it`, {
    hint: 'Wait until it is done, or let runs wait: whenBusy: "queue".',
    data: { session, worker },
  });
}

/** @throws the reason of an abort */
function pause(ms: number, abort: AbortSource | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const listener: AbortListener = {
      handleEvent() {
        clearTimeout(timer);
        reject(abort!.reason);
      },
    };
    const timer = setTimeout(() => {
      abort?.remove(listener);
      resolve();
    }, ms);
    abort?.add(listener);
  });
}
