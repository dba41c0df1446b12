/** A claimed session while somebody works on it: renewed in time, and looked at again whenever it may be lost. */
import { HaftError, messageOf } from "../base/errors.ts";
import type { Entry, Store } from "../core/log.ts";
import type { SessionStore } from "../core/store.ts";
import type { ClaimWishes } from "./claim.ts";

/** A renewal older than this share of the lease is not relied on. */
const SURE_SHARE = 0.6;

export interface Clock {
  steady: number;
  wall: number;
}

export function clock(): Clock {
  return { steady: performance.now(), wall: Date.now() };
}

/**
 * The store of one run: it appends under the epoch of the claim. A worker that was held up (a frozen process, a machine asleep)
 * does not know what happened meanwhile: it asks the store before it goes on, both before an append and after it, since whoever
 * waits for the append starts something then.
 */
export class Lease implements Store {
  readonly epoch: number;
  readonly #store: SessionStore;
  readonly #wishes: ClaimWishes;
  readonly #timer: ReturnType<typeof setInterval>;
  /** When the last good renewal was asked for: by a clock that only goes forward, and by that of the wall, which also counts sleep. */
  #renewedAt: Clock;
  #hasFailed = false;
  #lost: HaftError | undefined;
  #asking: Promise<void> | undefined;

  constructor(store: SessionStore, epoch: number, askedAt: Clock, wishes: ClaimWishes) {
    this.#store = store;
    this.epoch = epoch;
    this.#wishes = wishes;
    this.#renewedAt = askedAt;
    const renew = () => void this.#renew().catch(() => {}); // whatever is to start next asks again
    this.#timer = setInterval(renew, wishes.leaseMs / 3);
    this.#timer.unref();
  }

  read(session: string, after?: number): Promise<Entry[]> {
    return this.#store.read(session, after);
  }

  /** @throws HaftError `SESSION_LOST` */
  append(session: string, entries: readonly Entry[]): Promise<void> | void {
    if (this.#lost) throw this.#lost;
    if (this.#isInDoubt) return this.#makeSure().then(() => this.#write(session, entries));
    return this.#write(session, entries);
  }

  #write(session: string, entries: readonly Entry[]): Promise<void> | void {
    try {
      const written = this.#store.append(session, entries, { epoch: this.epoch });
      if (!written) return this.#isInDoubt ? this.#makeSure() : undefined;
      return written.then(
        () => (this.#isInDoubt ? this.#makeSure() : undefined),
        (error) => {
          throw this.#told(error);
        },
      );
    } catch (error) {
      throw this.#told(error);
    }
  }

  get #isInDoubt(): boolean {
    if (this.#hasFailed) return true;
    const { steady, wall } = this.#renewedAt;
    return Math.max(performance.now() - steady, Date.now() - wall) > this.#wishes.leaseMs * SURE_SHARE;
  }

  /** What was asked before it was held up tells nothing: it is asked once more. @throws HaftError `SESSION_LOST`, or what the store throws */
  async #makeSure(): Promise<void> {
    await this.#asking?.catch(() => {});
    if (this.#isInDoubt) await this.#renew();
  }

  #renew(): Promise<void> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask(): Promise<void> {
    if (this.#lost) throw this.#lost;
    const askedAt = clock();
    const { session, leaseMs } = this.#wishes;
    const isOurs = await this.#store.renew(session, { epoch: this.epoch, ttlMs: leaseMs }).catch((error) => {
      this.#hasFailed = true;
      throw error;
    });
    if (!isOurs) throw this.#lose();
    this.#renewedAt = askedAt;
    this.#hasFailed = false;
  }

  /** A writer that was overtaken has lost the session. */
  #told(error: unknown): unknown {
    return HaftError.is(error, "STORE_EPOCH_STALE") ? this.#lose(error) : error;
  }

  #lose(cause?: unknown): HaftError {
    if (this.#lost) return this.#lost;
    clearInterval(this.#timer);
    const { session, onLost } = this.#wishes;
    this.#lost = new HaftError("SESSION_LOST", `Another worker has taken over session "${session}"`, {
      hint: "Nothing more was written or started here. The session goes on there; look at its log.",
      data: { session },
      cause,
    });
    onLost(this.#lost);
    return this.#lost;
  }

  /** Gives the session back. A store that cannot be told lets it run out. */
  async end(): Promise<string | undefined> {
    clearInterval(this.#timer);
    if (this.#lost) return undefined;
    try {
      await this.#asking?.catch(() => {});
      await this.#store.release(this.#wishes.session, { epoch: this.epoch });
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  }
}
