/** One iteration, top to bottom: build context, present, generate, act, settle. */

import type { Json } from "../base/json.ts";
import type { Iteration } from "../core/hooks.ts";
import type { EntryOf } from "../core/log.ts";
import { type Message, type ToolResultPart, textOf } from "../core/message.ts";
import type { IterationContext } from "../core/mode.ts";
import { type AskedCall, noUsage, type Usage } from "../core/model.ts";
import { act } from "./act.ts";
import { buildContext } from "./context.ts";
import type { Ending } from "./ending.ts";
import { generate } from "./generate.ts";
import { mergeAssigns, resultPart } from "./history.ts";
import { beforeIteration } from "./hook-calls.ts";
import type { RunState } from "./run-state.ts";
import { settle } from "./settle.ts";

/** Returns how the run ended when this iteration ended it, or nothing when another one should follow. */
export async function runIteration(run: RunState, index: number): Promise<Ending | undefined> {
  const iteration = new RunningIteration(run, index);
  listen(run, iteration);
  const skipped = run.hooks.onIterationStart && (await beforeIteration(run, iteration));
  listen(run, iteration);
  if (skipped) return settle(run, iteration, undefined, skipped);

  const built = buildContext(run, index); //                        what the model should know
  const context = built instanceof Promise ? await built : built;
  listen(run, iteration);
  run.steering.at(iteration.id);
  const request = run.shown(run.mode.present(context)); //          how this mode shows it
  const response = await generate(run, iteration, request); //      one model call
  const happened = await act(run, iteration, context, response); // do what the model asked for

  return settle(run, iteration, response, happened); //             go on, leave, answer or wait
}

/** What was said until now is in the model's request; what is said from here on comes after this iteration. */
function listen(run: RunState, { id }: RunningIteration): void {
  if (run.steering.waiting) run.messages.push(...run.steering.takeBefore(id));
}

/** The iteration as hooks and results see it. */
export class RunningIteration implements Iteration {
  readonly id: string;
  readonly index: number;
  readonly messages: readonly Message[];
  calls: readonly AskedCall[] = [];
  text = "";
  usage: Usage = noUsage;
  status: Iteration["status"];
  context: IterationContext | undefined;
  /** The calls whose handler was started in this process. */
  begun: Set<string> | undefined;
  /** The calls of this iteration that are over, by our key: what the model reads of them. */
  results: Map<string, ToolResultPart> | undefined;
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
    this.results ??= new Map();
    this.results.set(end.key, resultPart(asked, end));
    if (end.assigns === undefined) return;
    this.#assigns ??= [];
    this.#assigns.push({ callId: end.key, assigns: end.assigns });
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
