/** haft: gives an AI agent tools that it can hold. */

import { AgentBase } from "./agents/agent.ts";
import type { AgentOptions, Exits } from "./agents/agent-options.ts";
import { HaftError } from "./base/errors.ts";
import type { Rooms } from "./core/execute.ts";
import type { LanguageModel, ModelTraits } from "./core/model.ts";
import { createExecute } from "./engine/execute.ts";
import { toolsMode } from "./modes/tools.ts";

/** Rooms are loaded when a run needs them. */
const rooms: Rooms = {
  defaultModel: () => process.env.HAFT_MODEL || undefined,
  model: async (id) => (await import("./models/index.ts")).resolveModel(id),
  traits: (model) => traits.get(model) ?? readTraits(model),
  contextWindow: async (model) => (await import("./models/context-window.ts")).contextWindow(model),
  reasoning: async (model, effort) => (await import("./models/reasoning.ts")).reasoningOptions(model, effort),
  sandbox: async (name, options) => (await import("./sandbox/open.ts")).openSandbox(name, options),
  prices: async () => (await import("./models/prices.ts")).genaiPrices(),
  secrets: async (options) => (await import("./secrets/index.ts")).openSecrets(options),
  subagents: async (options) => (await import("./agents/subagents.ts")).withSubagents(options),
  mode(name) {
    if (name === "tools") return toolsMode;
    if (name === "code") return import("./vm/index.ts").then(({ codeMode }) => codeMode());
    throw new HaftError("MODE_UNKNOWN", `There is no mode "${name}"`, { hint: 'There are "tools" and "code".' });
  },
};

const traits = new WeakMap<LanguageModel, ModelTraits>();

async function readTraits(model: LanguageModel): Promise<ModelTraits> {
  const { traitsOf } = await import("./models/traits.ts");
  const read = traitsOf(model);
  traits.set(model, read);
  return read;
}

/** Starts a run: await it for its result, iterate it for its events. */
export const execute = createExecute(rooms);

/**
 * Settings with a name.
 *
 * ```ts
 * const agent = new Agent({ name: "clerk", model: "openai:gpt-5", instructions: "…", tools: [pay] });
 * const result = await agent.run("Pay the rent");
 * const session = agent.session({ id: "chat-7", store });
 * await session.run("Pay the rent");
 * ```
 *
 * @throws HaftError `OPTIONS_INVALID`, and what tools, exits and schemas throw that do not fit
 */
export class Agent<const E extends Exits = readonly []> extends AgentBase<E> {
  constructor(options: AgentOptions<E>) {
    super(options, {
      execute,
      sandbox: rooms.sandbox,
      compaction: rooms,
      memory: async () => (await import("./stores/memory.ts")).memoryStore(),
    });
  }
}

export type {
  AgentOptions,
  AgentRunOptions,
  DecisionRequest,
  EventSource,
  Operation,
  OperationDefinition,
  OperationInfo,
  SessionOptions,
  SessionRunOptions,
} from "./agents/agent-options.ts";
export type { Session } from "./agents/session.ts";
export * as Autonomous from "./autonomous.ts";
export { HaftError } from "./base/errors.ts";
export type { BudgetLimit, BudgetLimits, Prices } from "./core/budget.ts";
export type { CompactionOptions, CompactionReason, Compactor, CompactorContext } from "./core/compaction.ts";
export type { Logger, ToolContext } from "./core/context.ts";
export type { Decision, PendingCall } from "./core/decision.ts";
export type { Dynamic, DynamicContext, ExecuteOptions, ModelLimits, Run } from "./core/execute.ts";
export { DefaultExit, Exit, type ExitDefinition, type ExitValue, ListenExit, ThinkExit } from "./core/exit.ts";
export { type ExitReading, type ExitReturn, parseExit } from "./core/exit-value.ts";
export type { ExitResult, Hooks, Iteration, IterationController, ToolEvent } from "./core/hooks.ts";
export type { JsonSchema } from "./core/json-schema.ts";
export type { Entry, EntryOf, LiveEvent, RunEvent, StopReason, Store, Trace } from "./core/log.ts";
export type { Message, MessageInput } from "./core/message.ts";
export type { Mode, ModeSession } from "./core/mode.ts";
export type { LanguageModel, Model, ModelRef, ReasoningEffort, Usage } from "./core/model.ts";
export { type ObjectDefinition, ObjectInstance, type PropertyDefinition } from "./core/object.ts";
export type { CallSubject, PolicyAction, PolicyRule } from "./core/policy.ts";
export type { KnownShape, RedactRule } from "./core/redact/rules.ts";
export type {
  ContextSize,
  ErrorResult,
  ExecuteResult,
  ExitOf,
  ExitSuccess,
  InterruptedResult,
  TextSuccess,
} from "./core/result.ts";
export type {
  Changes,
  ExecOptions,
  ExecResult,
  FileChange,
  Sandbox,
  SandboxAccess,
  SandboxCapabilities,
  SandboxProvider,
} from "./core/sandbox.ts";
export type { SchemaInput, SchemaLike, SchemaOutput, SchemaPair } from "./core/schema.ts";
export type { SecretKind, SecretOrigin, SecretProvider, SecretSource, Secrets } from "./core/secrets.ts";
export { SnapshotSignal, ThinkSignal } from "./core/signals.ts";
export { type OldSnapshotJson, Snapshot, type SnapshotJson } from "./core/snapshot.ts";
export type { HasOptions, Subagent, SubagentLimits, SubagentOptions } from "./core/subagents.ts";
export { Tool, type ToolEntry } from "./core/tool.ts";
export type { Approval, StaticValues, ToolDefinition } from "./core/tool-definition.ts";
export { type ContentPart, fail, ok } from "./core/tool-result.ts";
export { executeTool, type ToolOutcome, type ToolSpec, toolName, toolSpec } from "./core/tool-spec.ts";
