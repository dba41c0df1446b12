/** The only seam between JSON calls and programs: how a model is shown its tools, and how its answer is acted on. */
import type { Exit } from "./exit.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { LoggedError, LoggedMessage } from "./log.ts";
import type { Message } from "./message.ts";
import type { AskedCall, ModelResponse, ModelTool } from "./model.ts";
import type { Tool } from "./tool.ts";
import type { ContentPart } from "./tool-result.ts";

/** What the model should know this iteration. */
export interface IterationContext {
  readonly instructions: string;
  /** Append-only, shared: never changed or copied by a mode. */
  readonly messages: readonly Message[];
  readonly tools: ToolSet;
  readonly exits: readonly Exit[];
}

/** The tools of an iteration, by every name that a model may use. */
export interface ToolSet {
  readonly list: readonly Tool[];
  /** By name or alias. */
  find(name: string): Tool | undefined;
  /** Its description where the run's surroundings are known. */
  describe(tool: Tool): string;
  /** The JSON Schema of its input, where the names of the run's secrets are known. */
  inputSchema(tool: Tool): JsonSchema;
}

export interface Presentation {
  /** Goes first, byte for byte the same as long as nothing changed. */
  readonly instructions: string;
  readonly tools: readonly ModelTool[];
}

export type CallResult = { callId: string; name: string; content?: ContentPart[] } & (
  | { ok: true; output: unknown }
  | { ok: false; error: LoggedError }
);

/** What a mode may ask of the run while it acts. */
export interface Hands {
  /** Makes one call. Never rejects: a failed call is a value, and a call that pauses or thinks never returns. */
  invoke(call: AskedCall): Promise<CallResult>;
  /** Leaves the run. False, with the reason, when the value does not fit or `onExit` refused it. */
  leave(exit: Exit, sent: Record<string, unknown>): Promise<{ ok: true } | { ok: false; message: string }>;
}

/** What a mode did with a response. */
export interface Outcome {
  /** What the model reads next, after its own answer. */
  readonly messages: readonly LoggedMessage[];
  /** The model only talked. */
  readonly text?: string;
}

/** What became of a call when its iteration stopped: it has an end in the log, or this is what the model reads. */
export type StoppedCall = { callId: string } | { message: string };

export interface ModeSession {
  present(context: IterationContext): Presentation;
  /** What the model asked for, before anything is done. */
  read(response: ModelResponse): readonly AskedCall[];
  act(response: ModelResponse, context: IterationContext, hands: Hands): Outcome | Promise<Outcome>;
  /** What stands in for the messages of `act` when the iteration stopped before it was through. */
  stopped(response: ModelResponse, results: ReadonlyMap<string, StoppedCall>): readonly LoggedMessage[];
  close(): void | Promise<void>;
}

export interface Mode {
  readonly name: string;
  /** Once a run. */
  open(): ModeSession | Promise<ModeSession>;
}
