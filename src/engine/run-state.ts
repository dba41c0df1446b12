/** Everything that one run knows while it goes on. Passed whole, instead of field by field. */
import type { Logger } from "../core/context.ts";
import type { DynamicContext, ExecuteOptions, Rooms } from "../core/execute.ts";
import type { Hooks, Iteration } from "../core/hooks.ts";
import { estimateTokens, type Message } from "../core/message.ts";
import type { IterationContext, ModeSession, Presentation } from "../core/mode.ts";
import { addUsage, type ModelResponse, noUsage, type Usage } from "../core/model.ts";
import type { ObjectInstance } from "../core/object.ts";
import type { Sandbox } from "../core/sandbox.ts";
import type { OpenSecrets } from "../core/secrets.ts";
import type { Tool, ToolEntry } from "../core/tool.ts";
import type { Budget } from "./budget/index.ts";
import type { Journal } from "./journal.ts";
import type { OpenModel } from "./model/open-model.ts";
import type { NamedTools } from "./named-tools.ts";
import type { Nesting } from "./nested-run.ts";
import type { RunObjects } from "./objects.ts";
import type { Judge } from "./policy/policy.ts";
import type { Recorder } from "./record.ts";
import { LazyController, type RunAbort } from "./run-abort.ts";
import type { Steering } from "./steering.ts";
import type { Watchers } from "./watchers.ts";

export interface RunParts {
  id: string;
  options: ExecuteOptions;
  rooms: Rooms;
  log: Recorder;
  journal: Journal;
  mode: ModeSession;
  policy: Judge | undefined;
  nesting: Nesting | undefined;
  budget: Budget | undefined;
  steering: Steering;
  watchers: Watchers;
  abort: RunAbort;
  secrets: OpenSecrets | undefined;
  sandbox: Sandbox | undefined;
  ownsSandbox: boolean;
  objects: RunObjects | undefined;
  tools: RunState["tools"];
  messages: Message[];
  measured: { tokens: number; messages: number };
  assigns: Record<string, unknown>;
  logger: Logger;
}

/** What is called in a run, and the lists that it came from. */
export interface ToolsOfLists {
  entries: readonly ToolEntry[] | undefined;
  objects: readonly ObjectInstance[] | undefined;
  set: NamedTools;
}

const none: readonly never[] = [];

export class RunState {
  readonly id: string;
  readonly options: ExecuteOptions;
  readonly rooms: Rooms;
  readonly hooks: Hooks;
  /** Read once: who changes the list later changes nothing. */
  readonly policy: Judge | undefined;
  /** Makes the runs inside calls; undefined where the run has no sub-agents. */
  readonly nesting: Nesting | undefined;
  /** Undefined: it has none, and nothing is counted. */
  readonly budget: Budget | undefined;
  readonly log: Recorder;
  readonly journal: Journal;
  readonly mode: ModeSession;
  readonly steering: Steering;
  readonly watchers: Watchers;
  readonly abort: RunAbort;
  readonly secrets: OpenSecrets | undefined;
  readonly sandbox: Sandbox | undefined;
  readonly ownsSandbox: boolean;
  readonly cwd: string;
  /** Undefined: the run was given none. */
  readonly objects: RunObjects | undefined;
  readonly logger: Logger;
  readonly limit: number;
  /** The conversation. It grows at its end, and becomes another one by a compaction only. */
  readonly messages: Message[];
  /** What a model, or a compaction, last told of its length: in tokens, of so many messages. */
  measured: { tokens: number; messages: number };
  /** From so many tokens on, somebody looks whether it is too long for its model. */
  compactsFrom: number;
  /** The tool that reads on in results of which the model reads a part, when there are some. */
  reading: "wanted" | Tool | undefined;
  readonly iterations: Iteration[] = [];
  assigns: Record<string, unknown>;
  usage: Usage = noUsage;
  cost: number | undefined;
  /** The model was told once to leave by an exit. */
  reminded = false;
  /** What the last model call was shown beside the messages. */
  lastRequest: Presentation | undefined;
  /** What the model should know, where nothing of it is dynamic. */
  fixedContext: IterationContext | undefined;
  /** The tools as the last lists gave them. */
  tools: ToolsOfLists | undefined;
  /** Those of the chain that were needed. */
  models: readonly OpenModel[] = none;
  /** Who wrote an assistant message. */
  readonly origins = new Map<object, string>();
  #modelCalls = new LazyController();
  #shown: { given: Presentation["tools"]; tools: Presentation["tools"] } | undefined;

  constructor(parts: RunParts) {
    this.id = parts.id;
    this.options = parts.options;
    this.rooms = parts.rooms;
    this.hooks = parts.options.hooks ?? {};
    this.policy = parts.policy;
    this.nesting = parts.nesting;
    this.budget = parts.budget;
    this.log = parts.log;
    this.journal = parts.journal;
    this.mode = parts.mode;
    this.steering = parts.steering;
    this.watchers = parts.watchers;
    this.abort = parts.abort;
    this.secrets = parts.secrets;
    this.sandbox = parts.sandbox;
    this.ownsSandbox = parts.ownsSandbox;
    this.cwd = parts.options.cwd ?? process.cwd();
    this.objects = parts.objects;
    this.logger = parts.logger;
    this.limit = parts.options.iterations ?? 10;
    this.tools = parts.tools;
    this.messages = parts.messages;
    this.measured = parts.measured;
    this.compactsFrom = compactionGate(parts.options);
    this.assigns = parts.assigns;
  }

  get controller(): AbortController {
    return this.abort.controller;
  }

  get abortSignal(): AbortSignal {
    return this.abort.controller.signal;
  }

  /** The controller of model calls: one for all of them, until one had to be ended. */
  get modelCalls(): LazyController {
    if (this.#modelCalls.aborted && !this.abort.aborted) this.#modelCalls = new LazyController();
    return this.#modelCalls;
  }

  /** What the model is shown, without secrets. The same tools give the same list, so that they are read once. */
  shown(request: Presentation): Presentation {
    if (!this.secrets) return request;
    if (this.#shown?.given !== request.tools) {
      this.#shown = { given: request.tools, tools: this.log.redacted(request.tools) };
    }
    return { ...request, instructions: this.log.redacted(request.instructions), tools: this.#shown.tools };
  }

  dynamic(iteration: number): DynamicContext {
    return { run: this.id, iteration, messages: this.messages, assigns: this.assigns };
  }

  /** How long the conversation is: what was told of it, and an estimate of what came since. In tokens. */
  get size(): number {
    let { tokens } = this.measured;
    for (let index = this.measured.messages; index < this.messages.length; index++)
      tokens += estimateTokens(this.messages[index]!);
    return tokens;
  }

  get isLong(): boolean {
    return this.compactsFrom !== Number.POSITIVE_INFINITY && this.size > this.compactsFrom;
  }

  /** The next iteration has a tool for it. A program has every result whole. */
  offerReading(): void {
    if (!this.mode.code) this.reading ??= "wanted";
  }

  /** Counts what an answer cost. */
  spend(response: Pick<ModelResponse, "model" | "usage">): void {
    this.usage = addUsage(this.usage, response.usage);
    const { prices } = this.options;
    const cost = typeof prices === "function" ? prices(response.model, response.usage) : undefined;
    if (cost !== undefined) this.cost = (this.cost ?? 0) + cost;
  }
}

/** No model of today has a window that is smaller, and no conversation that is shorter loads a list of windows. */
const LOOKS_FROM = 24_000;

function compactionGate({ compaction }: ExecuteOptions): number {
  if (compaction === false) return Number.POSITIVE_INFINITY;
  return compaction?.window === undefined ? LOOKS_FROM : compaction.window * (compaction.share ?? SHARE);
}

/** The part of a model's window that a conversation may fill. */
export const SHARE = 0.8;
