/** What a session does: one thing at a time, under a claim where the store knows whose turn it is. */

import { HaftError, invalidOption } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import { LONGEST_TIMEOUT_MS } from "../base/watchdog.ts";
import { consoleLogger } from "../core/call-context.ts";
import type { AbortSource } from "../core/context.ts";
import type { Decision, PendingCall } from "../core/decision.ts";
import type { ExecuteOptions, Run } from "../core/execute.ts";
import type { Entry, Store } from "../core/log.ts";
import { withoutNested } from "../core/log-keys.ts";
import type { Message } from "../core/message.ts";
import type { Sandbox } from "../core/sandbox.ts";
import { pendingCalls } from "../core/snapshot.ts";
import { readHistory } from "../engine/history.ts";
import type { SessionOptions } from "./agent-options.ts";
import { busy, claim } from "./claim.ts";
import { decisionEntry } from "./decide.ts";
import { forkEntries } from "./fork.ts";
import type { Lease } from "./lease.ts";
import { Line } from "./line.ts";
import type { Session, SessionParts, Turn } from "./session.ts";

const ofTheSession = ["log", "store", "session", "epoch"];

export class SessionWork {
  /** The run whose turn it is. */
  current: Run | undefined;
  sandbox: Sandbox | undefined;
  readonly #session: Session;
  readonly #options: SessionOptions;
  readonly #store: Store;
  readonly #parts: SessionParts;
  readonly #line = new Line();
  #lease: Lease | undefined;
  #opening: Promise<Sandbox> | undefined;
  #isClosed = false;

  constructor(session: Session, options: SessionOptions, store: Store, parts: SessionParts) {
    this.#session = session;
    this.#options = options;
    this.#store = store;
    this.#parts = parts;
  }

  /** The turn of a run: what it runs with beside its own options. @throws HaftError `SESSION_BUSY`, `SESSION_CLOSED`, … */
  async enter(turn: Turn, abort: AbortSource): Promise<ExecuteOptions> {
    const misplaced = ofTheSession.find((name) => (turn.options as Record<string, unknown>)[name] !== undefined);
    if (misplaced) throw invalidOption(`A run of a session has no option "${misplaced}"`, "The session says it.");
    const refuses = this.#options.whenBusy === "refuse";
    await this.#take(abort, refuses);
    try {
      this.current = turn.run;
      const waitMs = refuses ? 0 : (this.#options.queueTimeoutMs ?? 600_000);
      this.#lease = await this.#claim(waitMs, (error) => turn.run.abort(error), abort);
      if (turn.resumes) await this.#known();
      const sandbox = await this.#sandboxOf(turn.options);
      return {
        store: this.#lease ?? this.#store,
        session: this.#session.id,
        epoch: this.#lease?.epoch ?? 0,
        ...(sandbox && { sandbox }),
      };
    } catch (error) {
      await this.leave();
      throw error;
    }
  }

  async leave(): Promise<void> {
    const problem = await this.#lease?.end();
    if (problem) this.#warn(`The session "${this.#session.id}" could not be given back: ${problem}`);
    this.#lease = undefined;
    this.current = undefined;
    this.#line.give();
  }

  async history(): Promise<readonly Message[]> {
    return readHistory(withoutNested(await this.#read())).messages;
  }

  async pending(): Promise<PendingCall[]> {
    return pendingCalls(await this.#read());
  }

  /** Before runs that wait for their turn: they go on with it. */
  decide(callId: string, decision: Decision, { principal }: { principal?: unknown }): Promise<void> {
    return this.#alone({ first: true, waitMs: 0 }, async (store, epoch) => {
      const { approver } = this.#session.agent.options;
      const asked = { session: this.#session.id, callId, decision, principal, approver };
      const entry = await decisionEntry(await this.#read(), asked);
      await store.append(this.#session.id, [entry], { epoch });
    });
  }

  /** False when there was nothing to make shorter. */
  async shorten(reason: "asked" | "clear", abortSignal?: AbortSignal): Promise<boolean> {
    const { shorter } = await import("./shorter.ts");
    let isShorter = false;
    await this.#alone({ first: false, waitMs: this.#options.queueTimeoutMs ?? 600_000 }, async (store, epoch) => {
      const { options } = this.#session.agent;
      const rooms = this.#parts.compaction;
      const entries = await shorter(await this.#read(), {
        reason,
        options: options as ExecuteOptions,
        rooms,
        abortSignal,
      });
      isShorter = entries.length > 0;
      if (isShorter) await store.append(this.#session.id, entries, { epoch });
    });
    return isShorter;
  }

  /** The id of the new session. */
  async fork(at: number | undefined): Promise<string> {
    const entries = forkEntries(await this.#known(), at);
    const session = newId("session");
    const lease = await claim(this.#store, { session, leaseMs: this.#leaseMs, waitMs: 0, onLost() {} });
    try {
      await (lease ?? this.#store).append(session, entries, { epoch: lease?.epoch ?? 0 });
    } finally {
      await lease?.end();
    }
    return session;
  }

  async close(timeoutMs: number): Promise<void> {
    this.#isClosed = true;
    const error = this.#closed();
    this.#line.refuse(error);
    this.current?.abort(error);
    await atMost(timeoutMs, this.#line.free());
    const sandbox = await this.#opening?.catch(() => undefined);
    this.sandbox = undefined;
    await sandbox?.dispose().catch((thrown) => this.#warn(`The sandbox could not be closed: ${String(thrown)}`));
  }

  async #take(abort: AbortSource | undefined, refuses: boolean, first = false): Promise<void> {
    if (this.#isClosed) throw this.#closed();
    if (refuses && this.#line.isBusy) throw busy(this.#session.id, "this process");
    await this.#line.take(abort, first);
    if (!this.#isClosed) return;
    this.#line.give(); // closed meanwhile
    throw this.#closed();
  }

  /** Something that is no run, in turn. */
  async #alone(
    { first, waitMs }: { first: boolean; waitMs: number },
    work: (store: Store, epoch: number) => Promise<void>,
  ): Promise<void> {
    await this.#take(undefined, false, first);
    let lease: Lease | undefined;
    try {
      lease = await this.#claim(waitMs, () => {});
      await work(lease ?? this.#store, lease?.epoch ?? 0);
    } finally {
      await lease?.end();
      this.#line.give();
    }
  }

  #claim(waitMs: number, onLost: (error: HaftError) => void, abort?: AbortSource): Promise<Lease | undefined> {
    const wishes = { session: this.#session.id, leaseMs: this.#leaseMs, waitMs, onLost };
    return claim(this.#store, abort ? { ...wishes, abort } : wishes);
  }

  get #leaseMs(): number {
    return this.#options.leaseMs ?? 30_000;
  }

  #read(): Promise<Entry[]> {
    return this.#store.read(this.#session.id);
  }

  /** @throws HaftError `SESSION_UNKNOWN` */
  async #known(): Promise<Entry[]> {
    const entries = await this.#read();
    if (entries.length > 0) return entries;
    throw new HaftError("SESSION_UNKNOWN", `Session "${this.#session.id}" has no entries`, {
      hint: "Nothing was said in it yet, or it is in another store. Begin it with session.run(prompt).",
    });
  }

  /** The agent names one: it is opened once, and outlives the runs. A run that says otherwise opens its own. */
  async #sandboxOf({ sandbox, cwd }: ExecuteOptions): Promise<Sandbox | undefined> {
    const settings = this.#session.agent.options as ExecuteOptions;
    if (typeof settings.sandbox !== "string" || sandbox !== undefined || cwd !== undefined) return undefined;
    const name = settings.sandbox;
    this.#opening ??= this.#parts.sandbox(name, { cwd: settings.cwd ?? process.cwd() });
    try {
      this.sandbox = await this.#opening;
      return this.sandbox;
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
  }

  #closed(): HaftError {
    return new HaftError("SESSION_CLOSED", `Session "${this.#session.id}" was closed`, {
      hint: "Open it anew: agent.session({ id }).",
    });
  }

  #warn(message: string): void {
    (this.#session.agent.options.logger ?? consoleLogger).warn(message);
  }
}

async function atMost(ms: number, work: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(ms, LONGEST_TIMEOUT_MS));
  });
  await Promise.race([work, over]);
  clearTimeout(timer);
}
