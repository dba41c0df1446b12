/** One call of a tool, whoever asked: validate, run the handler within its time, try again, validate what it gave. */

import { setImmediate as nextTurn } from "node:timers/promises";
import { HaftError, messageOf } from "../base/errors.ts";
import { isThenable } from "../base/kinds.ts";
import { TICK_MS, unwatch, type Watched, watch } from "../base/watchdog.ts";
import { CallContext } from "./call-context.ts";
import { type AbortListener, type AbortSource, channel, type ToolContext } from "./context.ts";
import { issueText, type Validator } from "./schema.ts";
import { isSignal } from "./signals.ts";
import type { Tool } from "./tool.ts";
import { failureOf, isFail, isOk } from "./tool-result.ts";
import { revealSecrets } from "./tool-secret-input.ts";
import { applyStatics } from "./tool-statics.ts";

export const DEFAULT_TOOL_TIMEOUT_MS = 600_000;
const MAX_ATTEMPTS = 1_000;

/** Runs up to the handler's first await before it returns, when validation is synchronous. */
export async function runHandler(tool: Tool, raw: unknown, given: Partial<ToolContext>): Promise<unknown> {
  if (tool.missingOptions) throw optionsMissing(tool);
  const call = CallContext.from(given, tool.optionValues);
  const checked = readInput(tool, raw, call);
  const input = checked instanceof Promise ? await checked : checked;

  for (let { attempt } = call; ; attempt++) {
    const ctx = attempt === call.attempt ? call.begin() : call.forAttempt(attempt);
    let value: unknown;
    try {
      const given = callHandler(tool, input, ctx);
      value = accept(tool, given instanceof Promise ? await given : given, ctx);
    } catch (error) {
      await untilRetry(tool, input, error, ctx);
      continue;
    } finally {
      ctx.release();
    }
    if (!tool.output || tool.definition.outputValidation === "off") return value;
    return checkOutput(tool, tool.output, value, call);
  }
}

function readInput(tool: Tool, raw: unknown, call: CallContext): unknown | Promise<unknown> {
  const { prepared } = call[channel];
  if (prepared && Object.is(prepared.raw, raw)) return prepared.value;
  return checkInput(tool, applyStatics(raw, tool.definition.staticInputValues, call), call);
}

/** @throws HaftError `TOOL_INPUT_INVALID` */
export function checkInput(tool: Tool, given: unknown, ctx: ToolContext): unknown | Promise<unknown> {
  const raw = tool.definition.secretInput ? revealSecrets(tool, given, ctx) : given;
  if (!tool.input) return raw;
  const { json } = tool.input;
  const value = raw ?? (json.type === "object" && !("default" in json) ? {} : raw);
  const checked = tool.input.check(value);
  return checked instanceof Promise ? checked.then(accept) : accept(checked);

  function accept(result: Awaited<ReturnType<Validator["check"]>>): unknown {
    if (result.ok) return result.value;
    throw new HaftError(
      "TOOL_INPUT_INVALID",
      `Tool "${tool.name}" received invalid input: ${issueText(result.issues)}`,
      {
        data: { issues: result.issues },
      },
    );
  }
}

export function optionsMissing(tool: Tool): HaftError {
  return new HaftError("TOOL_OPTIONS_INVALID", `Tool "${tool.name}": ${tool.missingOptions}`, {
    hint: "Give it option values: [tool, values] in the tools list, or tool.withOptions(values).",
  });
}

/** A promise only when the handler made one. */
function callHandler(tool: Tool, input: unknown, ctx: CallContext): unknown {
  const { outer } = ctx;
  if (outer?.aborted) throw aborted(tool, outer.reason);
  const given = tool.definition.handler(input, ctx);
  return isThenable(given) ? within(tool, Promise.resolve(given), ctx) : given;
}

/** The handler's promise, unless its time is up or the call is aborted before. */
function within(tool: Tool, work: Promise<unknown>, ctx: CallContext): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const limits = new Limits(tool, ctx, reject);
    work.then(
      (value) => {
        limits.release();
        resolve(value);
      },
      (error) => {
        limits.release();
        reject(error);
      },
    );
  });
}

/** What ends an attempt from outside. Long limits share one coarse timer; short ones are exact. */
class Limits implements Watched, AbortListener {
  place: number | undefined;
  before: AbortListener | undefined;
  readonly #tool: Tool;
  readonly #ctx: CallContext;
  readonly #reject: (reason: unknown) => void;
  readonly #outer: AbortSource | undefined;
  readonly #timeoutMs: number;
  readonly #end: number;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(tool: Tool, ctx: CallContext, reject: (reason: unknown) => void) {
    this.#tool = tool;
    this.#ctx = ctx;
    this.#reject = reject;
    this.#outer = ctx.outer;
    this.#timeoutMs = tool.definition.timeoutMs ?? DEFAULT_TOOL_TIMEOUT_MS;
    this.#end = Date.now() + this.#timeoutMs;
    if (this.#timeoutMs < 100 * TICK_MS) this.#timer = setTimeout(() => this.check(this.#end), this.#timeoutMs);
    else if (this.#timeoutMs !== Number.POSITIVE_INFINITY) watch(this);
    this.#outer?.add(this);
    if (this.#outer?.aborted) this.handleEvent(); // by the handler, before it gave its promise
  }

  /** The call is aborted. */
  handleEvent(): void {
    this.#stop(aborted(this.#tool, this.#ctx.outer?.reason));
  }

  check(now: number): void {
    if (now < this.#end) return;
    const error = new HaftError(
      "TOOL_TIMEOUT",
      `Tool "${this.#tool.name}" did not finish within ${this.#timeoutMs} ms`,
      {
        hint: "Its timeoutMs can be raised; a handler should stop when ctx.abortSignal fires.",
      },
    );
    this.#ctx.expire(error);
    this.#stop(error);
  }

  release(): void {
    unwatch(this);
    if (this.#timer) clearTimeout(this.#timer);
    this.#outer?.remove(this);
  }

  #stop(reason: unknown): void {
    this.release();
    this.#reject(reason);
  }
}

function accept(tool: Tool, given: unknown, ctx: CallContext): unknown {
  if (isSignal(given)) {
    throw new HaftError(
      "SIGNAL_RETURNED",
      `Tool "${tool.name}" returned a ${given.name}; signals are thrown, not returned`,
      {
        hint: `Write: throw new ${given.name}(…)`,
      },
    );
  }
  if (isFail(given)) throw failureOf(given);
  if (!isOk(given)) return given;
  const line = ctx[channel];
  if (given.assigns) line.assigns = { ...line.assigns, ...given.assigns };
  if (given.content) line.content = given.content;
  return given.value;
}

/** @throws the error, when it is not tried again */
async function untilRetry(tool: Tool, input: unknown, error: unknown, ctx: CallContext): Promise<void> {
  if (!(await mayRetry(tool, input, error, ctx))) throw error;
  await ctx[channel].onRetry?.(ctx.attempt + 1, error);
  await nextTurn(); // a handler that fails at once must not starve the process
}

async function mayRetry(tool: Tool, input: unknown, error: unknown, ctx: CallContext): Promise<boolean> {
  const { retry } = tool.definition;
  const { attempt } = ctx;
  if (!retry || isSignal(error) || (HaftError.is(error) && neverRetried.has(error.code))) return false;
  if (ctx.outer?.aborted) return false;
  if (attempt >= MAX_ATTEMPTS) throw retryLimit(tool, error);
  const answer = retry({ input, attempt, error });
  return Boolean(isThenable(answer) ? await within(tool, Promise.resolve(answer), ctx) : answer);
}

function retryLimit(tool: Tool, error: unknown): HaftError {
  const message = `Tool "${tool.name}" failed ${MAX_ATTEMPTS} times; the last time: ${messageOf(error)}`;
  return new HaftError("TOOL_RETRY_LIMIT", message, { cause: error });
}

const neverRetried = new Set(["TOOL_INPUT_INVALID", "TOOL_OUTPUT_INVALID", "SIGNAL_RETURNED", "ABORTED"]);

async function checkOutput(tool: Tool, schema: Validator, value: unknown, ctx: CallContext): Promise<unknown> {
  const checked = await schema.check(value);
  if (checked.ok) return checked.value;
  const message = `Tool "${tool.name}" gave an output that does not fit its schema: ${issueText(checked.issues)}`;
  if (tool.definition.outputValidation === "strict")
    throw new HaftError("TOOL_OUTPUT_INVALID", message, { data: { issues: checked.issues } });
  const line = ctx[channel];
  line.warnings = [...(line.warnings ?? []), message];
  if (ctx.iteration === 0) ctx.logger.warn(message); // no run, no log
  return value;
}

export function aborted(tool: Tool, reason: unknown): HaftError {
  return new HaftError(
    "ABORTED",
    `Tool "${tool.name}" was stopped${reason === undefined ? "" : `: ${messageOf(reason)}`}`,
    { cause: reason },
  );
}
