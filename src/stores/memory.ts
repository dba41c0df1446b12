/** Logs in memory, for as long as the process lives. */
import type { Entry } from "../core/log.ts";
import type { AppendOptions, Claim, ClaimOptions, ListOptions, SessionInfo, SessionStore } from "../core/store.ts";
import { closedStore } from "./closed.ts";
import { lastFirst } from "./last-first.ts";
import { checkAppend } from "./may-append.ts";
import { plainStore } from "./plain-store.ts";
import { checkClaim, checkSessionName, checkTtl } from "./session-name.ts";

export function memoryStore(): SessionStore {
  return plainStore(new MemoryStore());
}

interface Session {
  entries: Entry[];
  epoch: number;
  /** Who has it, until when by the clock that only goes on. */
  lease?: { worker: string; until: number };
}

class MemoryStore implements SessionStore {
  readonly #sessions = new Map<string, Session>();
  #isClosed = false;

  async read(session: string, after = -1): Promise<Entry[]> {
    this.#checkOpen();
    checkSessionName(session);
    const entries = this.#sessions.get(session)?.entries ?? [];
    return structuredClone(entries.filter(({ seq }) => seq > after));
  }

  append(session: string, entries: readonly Entry[], { epoch }: AppendOptions): void {
    this.#checkOpen();
    const kept = this.#sessions.get(session) ?? this.#new(session, epoch);
    checkAppend(session, { epoch: kept.epoch, last: kept.entries.at(-1)?.seq }, entries, epoch);
    for (const entry of entries) kept.entries.push(entry); // never changed by whoever wrote them
    if (entries.length > 0) kept.epoch = epoch;
  }

  async claim(session: string, options: ClaimOptions): Promise<Claim> {
    this.#checkOpen();
    checkClaim(options);
    const kept = this.#sessions.get(session) ?? this.#new(session, 0);
    const now = performance.now();
    const { lease } = kept;
    if (lease && lease.until > now)
      return { granted: false, worker: lease.worker, expiresInMs: Math.ceil(lease.until - now), epoch: kept.epoch };
    kept.epoch++;
    kept.lease = { worker: options.worker, until: now + options.ttlMs };
    return { granted: true, epoch: kept.epoch };
  }

  async renew(session: string, { epoch, ttlMs }: { epoch: number; ttlMs: number }): Promise<boolean> {
    this.#checkOpen();
    checkTtl(ttlMs);
    const kept = this.#sessions.get(session);
    if (!kept?.lease || kept.epoch !== epoch) return false;
    kept.lease.until = performance.now() + ttlMs;
    return true;
  }

  async release(session: string, { epoch }: AppendOptions): Promise<void> {
    this.#checkOpen();
    const kept = this.#sessions.get(session);
    if (kept?.epoch === epoch) kept.lease = undefined;
  }

  async list({ limit = 50 }: ListOptions = {}): Promise<SessionInfo[]> {
    this.#checkOpen();
    const written = [...this.#sessions].filter(([, { entries }]) => entries.length > 0);
    return written.map(infoOf).sort(lastFirst).slice(0, limit);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#sessions.clear();
  }

  #new(session: string, epoch: number): Session {
    checkSessionName(session);
    const made: Session = { entries: [], epoch };
    this.#sessions.set(session, made);
    return made;
  }

  #checkOpen(): void {
    if (this.#isClosed) throw closedStore();
  }
}

function infoOf([session, { entries, lease }]: [string, Session]): SessionInfo {
  const info = { session, entries: entries.length, createdAt: entries[0]!.at, updatedAt: entries.at(-1)!.at };
  return lease && lease.until > performance.now() ? { ...info, worker: lease.worker } : info;
}
