/** One iteration while it goes on: what the model answered, and what came of it. */

import type { Json } from "../base/json.ts";
import type { Iteration } from "../core/hooks.ts";
import type { EntryOf } from "../core/log.ts";
import { type Message, type ToolResultPart, textOf } from "../core/message.ts";
import type { IterationContext } from "../core/mode.ts";
import { type AskedCall, noUsage, type Usage } from "../core/model.ts";
import { type EndedCalls, mergeAssigns, type Reader, resultPart } from "./history.ts";
import type { RunState } from "./run-state.ts";

const noCalls: readonly AskedCall[] = Object.freeze([]);

/** The iteration as hooks and results see it. */
export class RunningIteration implements Iteration, EndedCalls, Reader {
  readonly id: string;
  readonly index: number;
  readonly messages: readonly Message[];
  calls: readonly AskedCall[] = noCalls;
  text = "";
  code: string | undefined;
  /** What a hook put in its place. */
  replaced: string | undefined;
  usage: Usage = noUsage;
  status: Iteration["status"];
  context: IterationContext | undefined;
  /** The calls whose handler was started in this process. */
  begun: Set<string> | undefined;
  /** The calls of this iteration that are over, by our key: what the model reads of them. */
  results: Map<string, ToolResultPart> | undefined;
  /** Of one of them it reads a part only. */
  hasMore = false;
  #assigns: { callId: string; assigns: Json }[] | undefined;

  constructor(run: RunState, index: number) {
    this.id = `${run.id}/${index}`;
    this.index = index;
    this.messages = run.messages;
    run.iterations.push(this);
  }

  answered(content: readonly { type: string }[], usage: Usage, calls: readonly AskedCall[]): void {
    this.text = textOf({ content });
    this.usage = usage;
    this.calls = calls;
  }

  ended(asked: AskedCall, end: EntryOf<"tool-end">): void {
    if (asked.number === undefined) {
      this.results ??= new Map();
      this.results.set(end.key, resultPart(asked, end, this)); // what a program asked for, the model does not read
    }
    if (end.assigns === undefined) return;
    this.#assigns ??= [];
    this.#assigns.push({ callId: end.key, assigns: end.assigns });
  }

  part(callId: string): ToolResultPart | undefined {
    return this.results?.get(callId);
  }

  get assigns(): Record<string, unknown> | undefined {
    return this.#assigns && mergeAssigns(this.#assigns);
  }

  /** A handler is called now. */
  begins(callId: string): void {
    this.begun ??= new Set();
    this.begun.add(callId);
  }

  /** What was for the conversation is in it by now, and is not kept twice. */
  end(status: Iteration["status"]): void {
    this.status = status;
    this.results = undefined;
    this.begun = undefined;
    this.context = undefined;
  }

  toJSON(): {
    id: string;
    index: number;
    text: string;
    calls: readonly AskedCall[];
    usage: Usage;
    status: Iteration["status"];
  } {
    const { id, index, text, calls, usage, status } = this;
    return { id, index, text, calls, usage, status };
  }
}
