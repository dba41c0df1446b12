/** Who works for a run: what `subagents` of `execute` takes. */
import type { ExecuteOptions } from "./execute.ts";
import type { SchemaLike } from "./schema.ts";
import type { SecretSource } from "./secrets.ts";

/** What a run is told from outside, and no agent by itself. */
type OfTheRun = "prompt" | "log" | "store" | "session" | "epoch" | "abortSignal" | "approve" | "secrets";

/**
 * A sub-agent. What is left out of `model`, `sandbox`, `cwd` and `secrets` comes from the run that it works for; tools never
 * do. Its policy counts after that of the run, and it may have no weaker `approvals`; who is asked is who that run asks.
 */
export interface SubagentOptions extends Omit<ExecuteOptions, OfTheRun> {
  /** When to give it a task, for the model. */
  description?: string;
  /** What goes with a task. Any schema of an object. Default: nothing. */
  input?: SchemaLike;
  /** What it gives. Any schema. Default: text. */
  output?: SchemaLike;
  /** Names: as many of the run's own are handed down. Sources: these instead. Default: all of the run's. */
  secrets?: readonly string[] | Record<string, SecretSource>;
  /** Milliseconds that a task may take. Default 600,000 (ten minutes); Infinity for no limit. */
  timeoutMs?: number;
}

/** Anything that keeps its options, such as an Agent. */
export interface HasOptions {
  readonly options: object;
}

/** An agent, an agent with some of its options replaced, or options. */
export type Subagent = SubagentOptions | HasOptions | readonly [HasOptions | SubagentOptions, SubagentOptions];

export interface SubagentLimits {
  /** How deep sub-agents may have sub-agents: 1 for none. Default 3. What is around a run may say less. */
  depth?: number;
  /** How many of this run work at the same time; others wait. Default 4. */
  concurrency?: number;
}
