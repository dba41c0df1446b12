/** Settings with a name: what is given once, and holds for every run. */
import { HaftError, invalidOption, messageOf } from "../base/errors.ts";
import { describeValue, isPlainObject } from "../base/json.ts";
import { runHost } from "../core/context.ts";
import type { ExecuteOptions, HostedOptions, Run, RunHost } from "../core/execute.ts";
import { Exit } from "../core/exit.ts";
import type { RunEvent, Store } from "../core/log.ts";
import type { ExitOf } from "../core/result.ts";
import { readSchema } from "../core/schema.ts";
import { checkOptions } from "../engine/check-options.ts";
import { toolsAtStart } from "../engine/named-tools.ts";
import type {
  AgentOptions,
  AgentRooms,
  AgentRunOptions,
  Exits,
  Operation,
  OperationDefinition,
  OperationInfo,
  SessionOptions,
} from "./agent-options.ts";
import { Session } from "./session.ts";

const ofTheAgent = ["name", "description", "approver", "handleEvent"];
const ofOneRun = ["prompt", "messages", "log", "session", "epoch", "agent", "abortSignal"];

export class AgentBase<const E extends Exits = readonly []> implements AsyncDisposable {
  readonly name: string;
  readonly options: Readonly<AgentOptions<E>>;
  readonly #rooms: AgentRooms;
  readonly #settings: ExecuteOptions;
  readonly #operations: Record<string, OperationInfo> = {};
  /** Those that work, and those that are open. Replaced, never changed. */
  #runs: readonly Run[] = [];
  #sessions: readonly Session[] = [];
  #closing: Promise<void> | undefined;
  #store: Promise<Store> | undefined;

  /** @throws HaftError `OPTIONS_INVALID`, and what tools, exits and schemas throw that do not fit */
  constructor(options: AgentOptions<E>, rooms: AgentRooms) {
    this.name = checkedName(options);
    this.#settings = withoutKeys(options, ofTheAgent);
    check(`Agent "${this.name}"`, options, this.#settings);
    this.options = options;
    this.#rooms = rooms;
  }

  /** Starts a run: `execute` with the settings of this agent. What `options` says wins; `undefined` says nothing. */
  run<const G extends Exits = E>(prompt?: ExecuteOptions["prompt"], options?: AgentRunOptions<G>): Run<ExitOf<G>> {
    const given = { ...options, prompt } as ExecuteOptions;
    const run = this.#launch(this.#closing ? { ...given, [runHost]: closedHost(this.name) } : given, undefined);
    this.#runs = [...this.#runs, run];
    const over = () => {
      this.#runs = this.#runs.filter((one) => one !== run);
    };
    run.then(over, over);
    return run;
  }

  /** A conversation that outlives its runs. While it is open, the same `id` and `store` give the same one, as it was opened. */
  session(options: SessionOptions = {}): Session {
    if (this.#closing) throw closed(this.name);
    const store = options.store ?? this.options.store;
    const known = this.#sessions.find((one) => one.id === options.id && one.isIn(store));
    if (known) return known;
    const session: Session = new Session(
      this,
      { ...options, ...(store && { store }) },
      {
        sandbox: this.#rooms.sandbox,
        compaction: this.#rooms.compaction,
        memory: () => this.#memory(),
        launch: (given, from) => this.#launch(given, from),
        onClose: () => {
          this.#sessions = this.#sessions.filter((one) => one !== session);
        },
      },
    );
    this.#sessions = [...this.#sessions, session];
    return session;
  }

  /** The open sessions, in the order in which they were opened. */
  get sessions(): { get(id: string): Session | undefined; list(): Session[]; readonly size: number } {
    const open = this.#sessions;
    return { get: (id) => open.find((one) => one.id === id), list: () => [...open], size: open.length };
  }

  /**
   * A typed function: each call is a run of this agent, told `instructions` beside its own, which ends with `output`.
   *
   * @throws HaftError `OPTIONS_INVALID`, `SCHEMA_INVALID`, `SCHEMA_UNSUPPORTED`
   */
  operation<const I = undefined, const O = undefined>(
    name: string,
    definition: OperationDefinition<I, O>,
  ): Operation<I, O> {
    const owner = `Agent "${this.name}": operation "${name}"`;
    if (typeof name !== "string" || name === "") throw invalidOption(`Agent "${this.name}": an operation needs a name`);
    if (Object.hasOwn(this.#operations, name)) throw invalidOption(`${owner} is there already`);
    if (!isPlainObject(definition)) throw invalidOption(`${owner} must be an object, not ${describeValue(definition)}`);
    const { description = "", input, output, ...given } = definition as OperationDefinition;
    if (given.instructions !== undefined && typeof given.instructions !== "string")
      throw invalidOption(`${owner}: instructions must be text`);
    const takes = input === undefined ? undefined : readSchema(input, `${owner}: input`);
    if (output !== undefined) readSchema(output, `${owner}: output`);
    const exit =
      output === undefined ? undefined : new Exit({ name: "submit_result", schema: output, description: GIVES });
    const settings = { ...given, exits: exit ? [exit] : [] };
    check(owner, settings, settings);
    this.#operations[name] = { name, description, input: takes?.json, output: exit?.schema?.outputJson };
    return async (value, options) => {
      const { runOperation } = await import("./operation.ts");
      return runOperation(this, { name, takes, settings }, value, options ?? {}) as any;
    };
  }

  /** What it can be asked to do, by name. */
  get operations(): Readonly<Record<string, OperationInfo>> {
    return this.#operations;
  }

  /**
   * Ends what works, and closes the sessions, the last opened first. Nothing is started after it. `timeoutMs`: how long it waits for what
   * ends slowly, for each session. Default 10,000.
   */
  close(options: { timeoutMs?: number } = {}): Promise<void> {
    this.#closing ??= this.#close(options);
    return this.#closing;
  }

  async #close(options: { timeoutMs?: number }): Promise<void> {
    await undefined; // nothing is opened from here on
    const runs = this.#runs;
    for (const run of runs) run.abort(closed(this.name));
    for (const session of [...this.#sessions].reverse()) await session.close(options);
    await Promise.allSettled(runs);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Where sessions are that name no store. */
  #memory(): Promise<Store> {
    this.#store ??= this.#rooms.memory();
    return this.#store;
  }

  /** A run with the settings of the agent, for a session or for nobody. */
  #launch(given: HostedOptions, session: Session | undefined): Run {
    const options: HostedOptions = { ...this.#settings, ...withoutUndefined(given), agent: this };
    const { handleEvent } = this.options;
    if (!handleEvent) return this.#rooms.execute(options);
    const teller = new Teller(this, options, session);
    const { hooks } = options;
    const run = this.#rooms.execute({ ...options, hooks: { ...hooks, onTrace: (event) => teller.tell(event) } });
    teller.run = run;
    return run;
  }
}

const GIVES = "The work is done, and this is its result";

function checkedName(options: AgentOptions<any>): string {
  if (!isPlainObject(options))
    throw invalidOption(`new Agent() takes an object of options, not ${describeValue(options)}`);
  const { name, description, approver, handleEvent } = options as Partial<AgentOptions>;
  if (typeof name !== "string" || name.trim() === "")
    throw invalidOption(`An agent needs a name: text, and not ${describeValue(name)}`);
  if (description !== undefined && typeof description !== "string")
    throw invalidOption(`Agent "${name}": description must be text`);
  for (const [key, value] of Object.entries({ approver, handleEvent }))
    if (value !== undefined && typeof value !== "function")
      throw invalidOption(`Agent "${name}": ${key} must be a function, got ${describeValue(value)}`);
  return name;
}

/** What is wrong is said when it is defined, by name. */
function check(owner: string, given: object, settings: ExecuteOptions): void {
  const misplaced = ofOneRun.find((key) => Object.hasOwn(given, key));
  if (misplaced) throw invalidOption(`${owner} has no option "${misplaced}"`, "Give it to a run.");
  try {
    checkOptions(settings);
    toolsAtStart(settings, undefined);
  } catch (error) {
    if (!HaftError.is(error)) throw error;
    const { code, message, data, cause } = error;
    const hint = error.hint?.replace(
      /^There are: .*/,
      `The options are those of execute(), and ${ofTheAgent.join(", ")}.`,
    );
    const said = message.replace(/^execute\(\) has/, "it has");
    throw new HaftError(code, `${owner}: ${said}`, { ...(hint && { hint }), ...(data && { data }), cause });
  }
}

function withoutKeys(options: object, keys: readonly string[]): ExecuteOptions {
  return Object.fromEntries(Object.entries(options).filter(([key]) => !keys.includes(key)));
}

function withoutUndefined(given: HostedOptions): HostedOptions {
  const host = given[runHost];
  const said = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return host ? { ...said, [runHost]: host } : said;
}

/** Tells `handleEvent` of the events of one run. It is no watcher: the model is not streamed for it. */
class Teller {
  run: Run | undefined;
  readonly #agent: AgentBase<any>;
  readonly #options: ExecuteOptions;
  readonly #session: Session | undefined;

  constructor(agent: AgentBase<any>, options: ExecuteOptions, session: Session | undefined) {
    this.#agent = agent;
    this.#options = options;
    this.#session = session;
  }

  tell(event: { trace: RunEvent; iteration: number }): unknown {
    const warn = (error: unknown) =>
      (this.#options.logger ?? console).warn(`handleEvent of agent "${this.#agent.name}" threw: ${messageOf(error)}`);
    try {
      const given: unknown = this.#agent.options.handleEvent!(event.trace, { run: this.run!, session: this.#session });
      if (given instanceof Promise) given.catch(warn);
    } catch (error) {
      warn(error);
    }
    return this.#options.hooks?.onTrace?.(event);
  }
}

function closed(name: string): HaftError {
  return new HaftError("AGENT_CLOSED", `Agent "${name}" was closed`, {
    hint: "Make a new one; sessions in a store go on there.",
  });
}

/** A run that does not begin. */
function closedHost(name: string): RunHost {
  return { session: undefined, enter: () => Promise.reject(closed(name)), leave: () => Promise.resolve() };
}
