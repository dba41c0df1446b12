/** The result object: a union on `status`, with the guards of the seeds. */
import { noUsage } from "../core/model.ts";
import type { ContextSize, ExecuteResult } from "../core/result.ts";
import type { Changes } from "../core/sandbox.ts";
import { Snapshot } from "../core/snapshot.ts";
import type { Ending } from "./ending.ts";
import type { RunState } from "./run-state.ts";

/** What a result is read from; also for a run that could not be opened. */
export type Facts = Pick<RunState, "id" | "messages" | "iterations" | "usage" | "cost" | "lastRequest"> & {
  log: Pick<RunState["log"], "entries" | "redacted">;
};

export function makeResult(run: Facts, ending: Ending, changes?: Changes): ExecuteResult {
  return new Result(run, ending, changes) as unknown as ExecuteResult;
}

/** Of a run that could not be opened. */
export function emptyResult(id: string, ending: Ending): ExecuteResult {
  const nothing = { messages: [], iterations: [], usage: noUsage, cost: undefined, lastRequest: undefined };
  return makeResult({ id, ...nothing, log: { entries: [], redacted: <T>(value: T) => value } }, ending);
}

class Result {
  readonly run: string;
  readonly status: Ending["status"];
  readonly stopReason: Ending["stopReason"];
  readonly exit: unknown;
  readonly output: unknown;
  readonly error: unknown;
  readonly messages: RunState["messages"];
  readonly iterations: RunState["iterations"];
  readonly usage: RunState["usage"];
  readonly cost: number | undefined;
  readonly changes: Changes | undefined;
  readonly #state: Facts;

  constructor(state: Facts, ending: Ending, changes: Changes | undefined) {
    this.run = state.id;
    this.status = ending.status;
    this.stopReason = ending.stopReason;
    this.exit = "exit" in ending ? ending.exit : undefined;
    this.output = "output" in ending ? ending.output : undefined;
    this.error = "error" in ending ? ending.error : undefined;
    this.messages = state.messages;
    this.iterations = state.iterations;
    this.usage = state.usage;
    this.cost = state.cost;
    this.changes = changes;
    this.#state = state;
  }

  get iteration() {
    return this.iterations.at(-1);
  }

  get snapshot(): Snapshot | undefined {
    return this.status === "interrupted" ? new Snapshot(this.run, this.#state.log.entries) : undefined;
  }

  get pending() {
    return this.snapshot?.pending;
  }

  get context(): ContextSize {
    return sizeOf(this.#state);
  }

  isSuccess(): boolean {
    return this.status === "success";
  }

  isError(): boolean {
    return this.status === "error";
  }

  isInterrupted(): boolean {
    return this.status === "interrupted";
  }

  is(exit: { name: string }): boolean {
    return this.status === "success" && (this.exit as { name: string } | undefined)?.name === exit.name;
  }

  redact<T>(value: T): T {
    return this.#state.log.redacted(value);
  }

  toJSON() {
    const { run, status, stopReason, output, error, usage, cost, iterations } = this;
    const exit = (this.exit as { name: string } | undefined)?.name;
    return { run, status, stopReason, exit, output, error, usage, cost, iterations, pending: this.pending };
  }
}

function sizeOf(state: Facts): ContextSize {
  const request = state.lastRequest;
  const instructions = tokensOf(request?.instructions ?? "");
  const tools = request ? tokensOf(JSON.stringify(request.tools)) : 0;
  const messages = tokensOf(JSON.stringify(state.messages));
  return { instructions, tools, messages, total: instructions + tools + messages };
}

/** About four bytes of UTF-8 a token. */
function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}
