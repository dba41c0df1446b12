/** The only seam between JSON calls and programs: how a model is shown its tools, and how its answer is acted on. */
import type { Json } from "../base/json.ts";
import type { AbortSource } from "./context.ts";
import type { Exit } from "./exit.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { EntryOf, LoggedError, LoggedMessage } from "./log.ts";
import type { Message } from "./message.ts";
import type { AskedCall, ModelResponse, ModelTool } from "./model.ts";
import type { ObjectInstance, ObjectProperty } from "./object.ts";
import type { ProgramWrite, WriteAnswer } from "./program.ts";
import type { Tool } from "./tool.ts";
import type { ContentPart } from "./tool-result.ts";

/** What the model should know this iteration. */
export interface IterationContext {
  readonly instructions: string;
  /** Append-only, shared: never changed or copied by a mode. */
  readonly messages: readonly Message[];
  readonly tools: ToolSet;
  readonly exits: readonly Exit[];
  /** The same list as long as no value has changed. */
  readonly objects: readonly BoundObject[];
}

/** An object as it stands when an iteration begins. All of its calls are in the iteration's ToolSet too. */
export interface BoundObject {
  readonly object: ObjectInstance;
  /** Encoded. */
  readonly properties: readonly { readonly property: ObjectProperty; readonly value: Json | undefined }[];
  /** As they were given, and as they are called: `cancel` is `Orders_cancel`, and each alias of one that of the other. */
  readonly tools: readonly { readonly tool: Tool; readonly call: Tool }[];
  /** What reads and sets properties in place of a program. */
  readonly accessors: readonly Tool[];
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

/** `seq` and `at` are those of the entry that it is read from. */
export type CallResult = { callId: string; name: string; seq: number; at: number; content?: ContentPart[] } & (
  | { ok: true; output: unknown; json: Json | undefined }
  | { ok: false; error: LoggedError }
);

/** What a mode may ask of the run while it acts. */
export interface Hands {
  /** Makes one call. Never rejects: a failed call is a value, and a call that pauses or thinks never returns. */
  invoke(call: AskedCall): Promise<CallResult>;
  /** Leaves the run. False, with the reason, when the value does not fit or `onExit` refused it. */
  leave(exit: Exit, sent: Record<string, unknown>): Promise<{ ok: true } | { ok: false; message: string }>;
  /**
   * Sets a property: at once, where its type validates at once. `number`: from 1, in the order of the program's writes.
   * A write that the log has is given as it was. `earlier`: the iteration of a program that is run again; nothing of it is
   * news. Throws HaftError `REPLAY_DIVERGED` where the log has another write.
   */
  write(write: ProgramWrite & { number: number; earlier?: string }): WriteAnswer | Promise<WriteAnswer>;
  /** Only for modes that have `code`: the part of the log that is the program's. */
  readonly program: ProgramHands;
}

/** What a program's mode may read of the run's log, and write to it. */
export interface ProgramHands {
  /** What a hook put in the place of the model's code. */
  readonly replaced: string | undefined;
  /** The programs of this run that the log has, oldest first; `current` is this iteration's. Reads the whole log. */
  past(): { earlier: readonly PastProgram[]; current: PastProgram | undefined };
  /** Notes that it begins. Gives when, for its clock. */
  begin(program: { code: string; seed: string; check: "passed" | "unchecked" | "off" }): number;
  /** Notes that a timer fired. Gives when, once it is written: what is told in another order than a log has cannot be replayed. */
  fired(timer: number): Promise<{ at: number; seq: number }>;
  /** Notes its end. False where a call has stopped it: then it has none. */
  ended(end: { status: "returned" | "exit" | "threw" | "limit"; calls: number; error?: LoggedError }): boolean;
  /** Nobody waits for this call any more: it is aborted, its end noted, and its iteration does not wait for it. */
  abandon(call: AskedCall): void;
  /** Aborts of the run. */
  readonly abort: AbortSource;
}

/** A program as the log has it. */
export interface PastProgram {
  readonly start: EntryOf<"program-start">;
  /** Undefined where a call stopped it, or the process ended. */
  readonly end: EntryOf<"program-end"> | undefined;
  /** What settled, in the order in which the program learns of it. Nothing that came after a signal to think again. */
  readonly settled: readonly PastSettlement[];
  /** The calls that it made, by number. */
  readonly calls: ReadonlyMap<number, PastProgramCall>;
  /** Where a call waits for a decision that nobody has made: as much of `settled` came before. */
  readonly heldAt: number | undefined;
  /** What a property of an object was when it began, where the log tells. */
  valueBefore(path: string): { value: Json | undefined } | undefined;
  /** The call that made the model think again: the program never went on. */
  readonly thinking: number | undefined;
}

export type PastSettlement = { at: number } & ({ timer: number } | { call: number; result: CallResult });

export interface PastProgramCall {
  /** Of the tool. */
  readonly name: string | undefined;
  /** @throws HaftError `REPLAY_DIVERGED` where the log has another call under this number */
  assertSame(asked: AskedCall): void;
  readonly hasEnded: boolean;
  /** Somebody is asked about it. */
  readonly isHeld: boolean;
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
  /** The program in a response, where it is one. */
  code?(response: ModelResponse): string | undefined;
  close(): void | Promise<void>;
}

export interface Mode {
  readonly name: string;
  /** Once a run. */
  open(): ModeSession | Promise<ModeSession>;
}
