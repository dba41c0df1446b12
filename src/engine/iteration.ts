/** One iteration, top to bottom: build context, present, generate, act, settle. */
import type { Iteration } from "../core/hooks.ts";
import type { IterationStatus } from "../core/log.ts";
import { type Message, textOf } from "../core/message.ts";
import type { IterationContext } from "../core/mode.ts";
import { type AskedCall, noUsage, type Usage } from "../core/model.ts";
import { act } from "./act.ts";
import { buildContext } from "./context.ts";
import { generate } from "./generate.ts";
import { beforeIteration } from "./hook-calls.ts";
import type { Ending, RunState } from "./run-state.ts";
import { settle } from "./settle.ts";

/** Returns how the run ended when this iteration ended it, or nothing when another one should follow. */
export async function runIteration(run: RunState, index: number): Promise<Ending | undefined> {
  const iteration = new RunningIteration(run, index);
  run.steering.at(iteration.id);
  run.messages.push(...run.steering.takeSteers());

  const skipped = await beforeIteration(run, iteration);
  if (skipped) return settle(run, iteration, undefined, skipped);

  const context = await buildContext(run, index); //                what the model should know
  const request = run.mode.present(context); //                     how this mode shows it
  const response = await generate(run, iteration, request); //      one model call
  const happened = await act(run, iteration, context, response); // do what the model asked for

  return settle(run, iteration, response, happened); //             go on, leave, answer or wait
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

  end(status: Iteration["status"]): void {
    this.status = status;
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

export type { IterationStatus };
