/** What `execute` takes and gives. */

import type { BudgetLimits, Prices } from "./budget.ts";
import type { CompactionOptions } from "./compaction.ts";
import type { AbortSource, Logger, runHost } from "./context.ts";
import type { Decision, PendingCall } from "./decision.ts";
import type { Exit } from "./exit.ts";
import type { Hooks } from "./hooks.ts";
import type { Entry, RunEvent, Store } from "./log.ts";
import type { Message, MessageInput, ProviderOptions, UserMessage } from "./message.ts";
import type { Mode } from "./mode.ts";
import type { LanguageModel, Model, ModelTraits, ReasoningEffort } from "./model.ts";
import type { ObjectInstance } from "./object.ts";
import type { PolicyRule } from "./policy.ts";
import type { RedactRule } from "./redact/rules.ts";
import type { ExecuteResult } from "./result.ts";
import type { Sandbox } from "./sandbox.ts";
import type { OpenSecrets, SecretSource } from "./secrets.ts";
import type { OldSnapshotJson, SnapshotJson } from "./snapshot.ts";
import type { Subagent, SubagentLimits } from "./subagents.ts";
import type { ToolEntry } from "./tool.ts";

type Awaitable<T> = T | Promise<T>;

/** What a dynamic value may look at, each iteration anew. */
export interface DynamicContext {
  readonly run: string;
  /** From 1. */
  readonly iteration: number;
  readonly messages: readonly Message[];
  readonly assigns: Readonly<Record<string, any>>;
}

export type Dynamic<T> = T | ((ctx: DynamicContext) => Awaitable<T>);

export interface ExecuteOptions<Exits extends readonly Exit<any, any>[] = readonly Exit<any, any>[]> {
  /** A model, or a fallback chain of them. Default: the bound default, `HAFT_MODEL` of the environment. */
  model?: Dynamic<Model>;
  instructions?: Dynamic<string>;
  /** What the user wants: text, or parts (text and files). */
  prompt?: string | UserMessage["content"];
  /** The conversation so far, before the prompt. */
  messages?: readonly MessageInput[];
  /** A log to go on with: the same log is a replay, a longer one (with decisions) a resume. */
  log?: readonly Entry[] | SnapshotJson | OldSnapshotJson;
  tools?: Dynamic<readonly ToolEntry[]>;
  /** Namespaces of properties and tools. A property starts with its given value, and keeps what is written to it. */
  objects?: Dynamic<readonly ObjectInstance<any>[]>;
  exits?: Exits | ((ctx: DynamicContext) => Awaitable<Exits>);
  /**
   * Who works for this run, by role. The model gives them tasks: with the tool `subagent`, or in programs with
   * `subagents.<role>(…)`. A role is a letter, then letters, digits and underscores, 39 at most.
   */
  subagents?: Readonly<Record<string, Subagent>>;
  subagentLimits?: SubagentLimits;
  hooks?: Hooks;
  /** How the model is shown its tools. "tools" (default): JSON calls. "code": functions of programs that it writes. */
  mode?: "tools" | "code" | (string & {}) | Mode;
  /**
   * Where files and processes live: a Sandbox (yours to dispose), or "auto", "isolated", "virtual", "local" (opened and
   * disposed by the run). Default: "auto", which is isolated where that is possible and else virtual; it is opened only
   * when a tool says `sandbox: true`.
   */
  sandbox?: Sandbox | "auto" | "isolated" | "virtual" | "local" | (string & {});
  /** The host folder to work in. Default: the process's. */
  cwd?: string;
  /**
   * Named values that tools may use and nobody may see. All are resolved before the run begins; it rejects when one cannot
   * be (HaftError `SECRET_SOURCE_INVALID`, `SECRET_MISSING`, `SECRET_FAILED`, which name it).
   */
  secrets?: Record<string, SecretSource>;
  /**
   * What is allowed, asked about and denied, whatever a tool's own `approval` says: the first rule that holds for a
   * call decides. It judges the effective input, after static values and `onBeforeTool`. Default: no rules.
   */
  policy?: readonly PolicyRule[];
  /**
   * What is taken out beside secrets, which always are: `"email"`, `"jwt"`, `"private-key"`, `"token"`, `{ name, pattern }`, or
   * a function from text to text. In this order. Default: nothing.
   */
  redact?: readonly RedactRule[];
  /**
   * What happens when a call needs someone to agree. "ask": `approve` is called. "interrupt": the run stops and can go
   * on later. "deny": the model is told no. Default: "ask" when there is an `approve`, else "interrupt".
   */
  approvals?: "ask" | "interrupt" | "deny";
  approve?: (call: PendingCall) => Awaitable<Decision | boolean>;
  /** Milliseconds until a call that needs someone to agree is denied, whoever is asked. Above 0. Default: no limit. */
  approvalTimeoutMs?: number;
  /** At most so many iterations. Default 10; any integer from 1. */
  iterations?: number;
  /**
   * What the run, its retries and all that it starts may use together. The model is told when most of it is used; then the
   * run ends with HaftError `BUDGET_EXCEEDED`. A `usd` limit without `prices` takes those of `@pydantic/genai-prices`
   * (HaftError `PRICES_MISSING` where it is not installed, `BUDGET_PRICE_UNKNOWN` for a model without a price).
   */
  budget?: BudgetLimits;
  temperature?: Dynamic<number | undefined>;
  reasoningEffort?: Dynamic<ReasoningEffort | undefined>;
  maxOutputTokens?: number;
  /** Passed through to the provider. */
  providerOptions?: ProviderOptions;
  modelLimits?: ModelLimits;
  /**
   * What happens to a conversation that grows too long for its model: old results become placeholders, then old turns a
   * summary. `false`: nothing. Default: this, where the model's window is known, and once where a model says that it is too
   * long.
   */
  compaction?: false | CompactionOptions;
  /**
   * Characters of a tool's result above which the model reads a preview, and can read on by `read_result`; the log keeps
   * all of it. `false`: it reads everything. Default 50,000; any integer from 500.
   */
  resultLimit?: number | false;
  /** What the assigns start with. */
  assigns?: Record<string, any>;
  abortSignal?: AbortSignal;
  /** Where the log is kept. Default: in memory, for the run's lifetime. */
  store?: Store;
  /** The session in the store. Its earlier runs are the conversation; an unfinished last run goes on. Default: a new one. */
  session?: string;
  /** The epoch that appends carry. Default 0. */
  epoch?: number;
  agent?: unknown;
  logger?: Logger;
  /**
   * What a model call cost, in US dollars; undefined where unknown. "genai": as `@pydantic/genai-prices` says, which must be
   * installed. Default: no prices, and no `cost`; with `budget.usd`, "genai".
   */
  prices?: Prices | "genai";
}

/** Who a run belongs to: it begins when its turn has come, and is over when its turn is. */
export interface RunHost {
  /** What handlers find as `ctx.session`. */
  readonly session: unknown;
  /** Waited for before the run begins. Gives options that it has beside its own; what it rejects with is the run's error. */
  enter(abort: AbortSource): Promise<ExecuteOptions>;
  /** The run has ended, or waits. Never rejects. */
  leave(): Promise<void>;
}

export type HostedOptions = ExecuteOptions & { [runHost]?: RunHost };

export interface ModelLimits {
  /** Attempts at one model, the first included. Default 3. */
  attempts?: number;
  /** Milliseconds without any part of an answer. Default 60,000; ten times as long before its first word. */
  idleMs?: number;
  /** Milliseconds before the second attempt, doubled for each further, with jitter. Default 500. */
  backoffMs?: number;
  /** The longest wait that a `Retry-After` may ask for; a longer one goes to the next model or fails. Default 60,000. */
  maxWaitMs?: number;
}

/**
 * A run that has been started. Await it for its result, iterate it for its events.
 *
 * - It rejects only for invalid options (HaftError `OPTIONS_INVALID`); everything else is a result.
 * - The first iterator, attached before the first await, sees everything; a later one the entries so far, then what is
 *   live. No deltas are kept, and the model is not streamed, while nobody iterates.
 * - `break` detaches; it does not abort.
 *
 * An async function that returns a Run gives its result: hand out `{ run }` instead.
 */
export interface Run<E extends Exit<any, any> | undefined = any>
  extends PromiseLike<ExecuteResult<E>>,
    AsyncIterable<RunEvent> {
  readonly id: string;
  /** Reads the message with the next model request; calls that have not started are skipped. False when the run is over. */
  steer(message: string): boolean;
  /** Goes on with this message where the run would end. False when it is over. */
  followUp(message: string): boolean;
  /** Ends streams, tools and processes; what finished stays in the log. */
  abort(reason?: unknown): void;
  catch<T = never>(onRejected: (reason: unknown) => T | PromiseLike<T>): Promise<ExecuteResult<E> | T>;
  finally(onFinally: () => void): Promise<ExecuteResult<E>>;
}

/** What the engine takes from rooms, as functions. Bound in `src/index.ts` and in `project/`. */
export interface Rooms {
  defaultModel(): Model | undefined;
  model(id: string): Promise<LanguageModel>;
  mode(name: string): Mode | Promise<Mode>;
  sandbox(name: string, options: { cwd: string }): Promise<Sandbox>;
  secrets(options: {
    sources?: Record<string, SecretSource>;
    rules?: readonly RedactRule[];
    cwd: string;
    abortSignal: AbortSignal;
  }): Promise<OpenSecrets>;
  /** @throws HaftError `PRICES_MISSING` */
  prices(): Promise<Prices>;
  traits(model: LanguageModel): ModelTraits | Promise<ModelTraits>;
  /** Tokens that it can read and write; undefined where nobody knows. */
  contextWindow(model: LanguageModel): Promise<number | undefined>;
  /** What says "think this hard" to this model, to be merged into the call. */
  reasoning(
    model: LanguageModel,
    effort: ReasoningEffort,
  ): Promise<{ reasoning?: string; providerOptions?: ProviderOptions }>;
  /** The options, with what gives tasks to their sub-agents among the tools or objects. */
  subagents(options: ExecuteOptions): Promise<ExecuteOptions>;
}
