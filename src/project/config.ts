/** The settings of a project: the default export of its `agent.config.ts`. Types only, so that the root may export it. */
import type { ExecuteOptions } from "../core/execute.ts";
import type { Model } from "../core/model.ts";
import type { SessionStore } from "../core/store.ts";
import type { ToolEntry } from "../core/tool.ts";

/** Fields that mean the same as in `execute`. */
type RunSettings = Pick<
  ExecuteOptions,
  | "instructions"
  | "exits"
  | "hooks"
  | "mode"
  | "secrets"
  | "policy"
  | "redact"
  | "approvals"
  | "temperature"
  | "reasoningEffort"
  | "maxOutputTokens"
  | "providerOptions"
  | "modelLimits"
  | "assigns"
  | "budget"
  | "prices"
  | "compaction"
  | "resultLimit"
  | "approvalTimeoutMs"
  | "subagents"
  | "subagentLimits"
>;

export interface ProjectConfig extends RunSettings {
  /** What the agent is called. */
  name?: string;
  /** `"provider:model-name"`, or a list: a fallback chain. Wins over `defaultModels`. */
  model?: Model;
  defaultModels?: {
    /** The model of runs that nobody watches and of the command line, where `model` is not given. */
    autonomous?: string | string[];
    /** The model for extracting, checking and rewriting text. It is kept for tools; runs do not use it. */
    zai?: string | string[];
  };
  /** Tools, or names of built-in tools and sets: `["coding", myTool]`. Default: coding. */
  tools?: string | (ToolEntry | string)[];
  /** `"auto"`, `"isolated"`, `"virtual"` or `"local"`. Default "auto": isolated where that is possible, else virtual. */
  sandbox?: string;
  /** At most so many model calls in a run. Default 50. */
  iterations?: number;
  /**
   * Where sessions are kept: `"sqlite"` (`.haft/haft.db`), `"file"` (`.haft/sessions/*.jsonl`), `"memory"` (not at all), or a store.
   * Default: sqlite, where it is there and the folder can be written.
   */
  store?: "sqlite" | "file" | "memory" | SessionStore;
  /** Of sqlite: `"strict"` (default) outlives a power cut, `"fast"` the process. */
  durability?: "strict" | "fast";
  /** AGENTS.md, CLAUDE.md and skills are read into the instructions. Default true. */
  contextFiles?: boolean;
}

/** Gives its argument back; it is there for the types. */
export function defineConfig(config: ProjectConfig): ProjectConfig {
  return config;
}
