/** A call while it is made, and what it comes to. */
import { decode, encode } from "../base/codec.ts";
import type { Json } from "../base/json.ts";
import type { CallContext } from "../core/call-context.ts";
import type { EntryOf } from "../core/log.ts";
import type { CallResult } from "../core/mode.ts";
import type { AskedCall } from "../core/model.ts";
import type { Tool } from "../core/tool.ts";
import type { RunningIteration } from "./iteration.ts";
import { hashOfCall, type PastCall } from "./journal.ts";
import type { RunState } from "./run-state.ts";

export type Done =
  | { type: "result"; result: CallResult }
  | { type: "paused" }
  | { type: "thinking"; reason: string; context?: unknown };

/** A call while it is made. */
export interface Call {
  readonly run: RunState;
  readonly iteration: RunningIteration;
  readonly callId: string;
  readonly asked: AskedCall;
  readonly tool: Tool;
  readonly past: PastCall | undefined;
  readonly ctx: CallContext;
  readonly startedAt: number;
  /** The effective input, as `execute` takes it: after statics and hook. */
  input: unknown;
  /** The same, encoded. */
  shown: Json;
  hash: string;
  /** The hook made another input of the one that it was given. */
  changedByHook: boolean;
}

/** Whoever asked sees what was written: live and on a replay the same. */
export function recalled(iteration: RunningIteration, asked: AskedCall, end: EntryOf<"tool-end">): Done {
  iteration.ended(asked, end);
  if (end.signal) return thinking(asked, end, end.signal.reason);
  return { type: "result", result: resultOf(end) };
}

/** A program's model does not read the results of its calls, and is told beside them. */
function thinking({ number }: AskedCall, { output }: EntryOf<"tool-end">, reason: string): Done {
  if (number === undefined || output === undefined || output === reason) return { type: "thinking", reason };
  return { type: "thinking", reason, context: decode(output) };
}

export function resultOf(end: EntryOf<"tool-end">): CallResult {
  return new EndedCall(end) as CallResult;
}

/** A mode that shows the model its results does not look at the output itself. */
class EndedCall {
  readonly #end: EntryOf<"tool-end">;

  constructor(end: EntryOf<"tool-end">) {
    this.#end = end;
  }

  get callId(): string {
    return this.#end.key;
  }

  get name(): string {
    return this.#end.name;
  }

  get seq(): number {
    return this.#end.seq;
  }

  get at(): number {
    return this.#end.at;
  }

  get ok(): boolean {
    return this.#end.error === undefined;
  }

  get content(): EntryOf<"tool-end">["content"] {
    return this.#end.content;
  }

  get error(): EntryOf<"tool-end">["error"] {
    return this.#end.error;
  }

  get json(): Json | undefined {
    return this.#end.output;
  }

  get output(): unknown {
    const { output } = this.#end;
    return output === undefined ? undefined : decode(output);
  }
}

export function hashOfAsked(asked: AskedCall): string {
  return hashOfCall(asked.name, sentBy(asked));
}

/** A model's own calls come without: what a program puts together is taken out here. */
export function withoutSecrets({ secrets, log }: RunState, asked: AskedCall): AskedCall {
  return secrets ? { ...asked, input: decode(log.redacted(sentBy(asked))) } : asked;
}

export function sentBy({ input }: AskedCall): Json {
  return encode(input ?? null);
}
