/** A conversation that outlives its runs: what is asked of it here is done by `session-work`, which is loaded then. */
import { invalidOption } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import { describeValue } from "../base/json.ts";
import { type AbortSource, runHost } from "../core/context.ts";
import type { Decision, PendingCall } from "../core/decision.ts";
import type { ExecuteOptions, HostedOptions, Run, RunHost } from "../core/execute.ts";
import type { Store } from "../core/log.ts";
import type { Message } from "../core/message.ts";
import type { ExitOf } from "../core/result.ts";
import type { Sandbox } from "../core/sandbox.ts";
import type { AgentBase } from "./agent.ts";
import type { AgentRooms, Exits, SessionOptions, SessionRunOptions } from "./agent-options.ts";
import type { SessionWork } from "./session-work.ts";

/** What a session takes from its agent. */
export interface SessionParts extends Pick<AgentRooms, "sandbox" | "memory" | "compaction"> {
  launch(options: HostedOptions, session: Session): Run;
  onClose(): void;
}

export class Session<E extends Exits = any> implements AsyncDisposable {
  readonly id: string;
  readonly agent: AgentBase<E>;
  readonly #options: SessionOptions;
  readonly #parts: SessionParts;
  #loading: Promise<SessionWork> | undefined;
  #loaded: SessionWork | undefined;
  #closing: Promise<void> | undefined;

  /** Agents make it: `agent.session()`. @throws HaftError `OPTIONS_INVALID` */
  constructor(agent: AgentBase<E>, options: SessionOptions, parts: SessionParts) {
    check(options);
    this.id = options.id ?? newId("session");
    this.agent = agent;
    this.#options = options;
    this.#parts = parts;
  }

  /**
   * Says something, and starts a run for it. A run is there at once, also when it has to wait for others: it can be watched,
   * steered and aborted. A last run that has not ended goes on, and reads this as said meanwhile.
   *
   * The result's error is HaftError `SESSION_BUSY` when another run works and this one may not wait (longer), `SESSION_CLOSED`, or
   * `SESSION_LOST` when another worker took the session over.
   */
  run<const G extends Exits = E>(prompt: ExecuteOptions["prompt"], options?: SessionRunOptions<G>): Run<ExitOf<G>> {
    return this.#start({ ...options, prompt } as ExecuteOptions, false);
  }

  /** Goes on where the last run stopped: it was interrupted, or its process died. An ended one gives its result again. */
  resume<const G extends Exits = E>(options?: SessionRunOptions<G>): Run<ExitOf<G>> {
    return this.#start({ ...options } as ExecuteOptions, true);
  }

  #start(options: ExecuteOptions, resumes: boolean): Run<any> {
    const host = new Turn(this, () => this.#work(), options, resumes);
    const run = this.#parts.launch({ ...options, [runHost]: host } as HostedOptions, this);
    host.run = run;
    return run;
  }

  /** The run that works now. */
  get current(): Run | undefined {
    return this.#loaded?.current;
  }

  /** Says something to the run that works: it reads it with the next model request. False when none does. */
  steer(message: string): boolean {
    return this.current?.steer(message) ?? false;
  }

  /** The run that works goes on with this where it would end. False when none does. */
  followUp(message: string): boolean {
    return this.current?.followUp(message) ?? false;
  }

  /** Ends the run that works. Those that wait for their turn go on. */
  abort(reason?: unknown): void {
    this.current?.abort(reason);
  }

  /** The conversation, as far as it is in the store. */
  async history(): Promise<readonly Message[]> {
    return (await this.#work()).history();
  }

  /** The calls that wait for a decision. */
  async pending(): Promise<PendingCall[]> {
    return (await this.#work()).pending();
  }

  /**
   * Decides about a call that waits. It runs nothing: `resume()` does. While a run works here, it waits until that one waits or ends.
   *
   * @throws HaftError `DECISION_UNKNOWN`, listing what waits; `DECISION_INVALID`, `DECISION_FORBIDDEN`; `SESSION_BUSY` when another
   * process has the session
   */
  async decide(callId: string, decision: Decision, options: { principal?: unknown } = {}): Promise<void> {
    return (await this.#work()).decide(callId, decision, options);
  }

  /** Begins the conversation anew; the log keeps everything. A last run that has not ended is ended. In turn, as a run. */
  async clear(): Promise<void> {
    await (await this.#work()).shorten("clear");
  }

  /**
   * Makes the conversation shorter now, as `compaction` of the agent says; the log keeps everything. In turn, as a run. False
   * when there is nothing to make shorter, or the last run has not ended.
   */
  async compact({ abortSignal }: { abortSignal?: AbortSignal } = {}): Promise<boolean> {
    return (await this.#work()).shorten("asked", abortSignal);
  }

  /**
   * A new session that has this one's entries up to `at` (a `seq`), and goes on by itself. Its last run has an id of its own.
   * Default: all entries.
   *
   * @throws HaftError `OPTIONS_INVALID` when there is no such entry
   */
  async fork({ at }: { at?: number } = {}): Promise<Session<E>> {
    const id = await (await this.#work()).fork(at);
    return this.agent.session({ ...this.#options, id }) as Session<E>;
  }

  /** What its runs work in, once one was opened: the agent names a sandbox, and the session keeps it until it is closed. */
  get sandbox(): Sandbox | undefined {
    return this.#loaded?.sandbox;
  }

  /** Ends the run that works, refuses those that wait, and disposes the sandbox. `timeoutMs`: for what ends slowly. Default 10,000. */
  close(options: { timeoutMs?: number } = {}): Promise<void> {
    this.#closing ??= this.#work()
      .then((work) => work.close(options.timeoutMs ?? 10_000))
      .finally(this.#parts.onClose);
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** It is kept there. */
  isIn(store: Store | undefined): boolean {
    return this.#options.store === store;
  }

  async #work(): Promise<SessionWork> {
    this.#loading ??= import("./session-work.ts").then(async ({ SessionWork }) => {
      const store = this.#options.store ?? (await this.#parts.memory());
      this.#loaded = new SessionWork(this, this.#options, store, this.#parts);
      return this.#loaded;
    });
    return this.#loading;
  }
}

/** The turn of one run. */
export class Turn implements RunHost {
  /** Set before it is entered. */
  run!: Run;
  readonly session: Session;
  readonly options: ExecuteOptions;
  /** It has nothing to say: there must be something to go on with. */
  readonly resumes: boolean;
  readonly #work: () => Promise<SessionWork>;

  constructor(session: Session, work: () => Promise<SessionWork>, options: ExecuteOptions, resumes: boolean) {
    this.session = session;
    this.options = options;
    this.resumes = resumes;
    this.#work = work;
  }

  async enter(abort: AbortSource): Promise<ExecuteOptions> {
    return (await this.#work()).enter(this, abort);
  }

  async leave(): Promise<void> {
    await (await this.#work()).leave();
  }
}

type Checks = Record<keyof SessionOptions, [what: string, fits: (value: any) => boolean]>;

const checks: Checks = {
  id: ["text", (value) => typeof value === "string" && value !== ""],
  store: ["a Store", (value) => typeof value?.read === "function" && typeof value.append === "function"],
  whenBusy: ['"queue" or "refuse"', (value) => value === "queue" || value === "refuse"],
  queueTimeoutMs: ["a number of milliseconds from 0", (value) => typeof value === "number" && value >= 0],
  leaseMs: ["an integer from 30", (value) => Number.isInteger(value) && value >= 30],
};

function check(options: SessionOptions): void {
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(checks, name))
      throw invalidOption(`A session has no option "${name}"`, `There are: ${Object.keys(checks).join(", ")}.`);
    const [what, fits] = checks[name as keyof SessionOptions];
    if (value !== undefined && !fits(value))
      throw invalidOption(`A session's ${name} must be ${what}, got ${describeValue(value)}`);
  }
}
