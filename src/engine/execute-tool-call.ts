/** One tool call, whoever asked: recall · statics · before hook · validate · approve · run · after hook · record. */
import { decode, encode } from "../base/codec.ts";
import { HaftError } from "../base/errors.ts";
import { hashOf } from "../base/json.ts";
import { CallContext } from "../core/call-context.ts";
import { channel } from "../core/context.ts";
import type { ToolEvent } from "../core/hooks.ts";
import type { EntryOf } from "../core/log.ts";
import type { CallResult, ToolSet } from "../core/mode.ts";
import type { AskedCall } from "../core/model.ts";
import { nearest } from "../core/names.ts";
import { SnapshotSignal, ThinkSignal } from "../core/signals.ts";
import type { Tool } from "../core/tool.ts";
import { inputFromModel } from "../core/tool-input.ts";
import { checkInput, optionsMissing } from "../core/tool-run.ts";
import { applyStatics } from "../core/tool-statics.ts";
import { clear } from "./clearance.ts";
import type { RunningIteration } from "./iteration.ts";
import { assertSameCall, type PastCall } from "./journal.ts";
import { logged } from "./logged-error.ts";
import type { RunState } from "./run-state.ts";

export type Done = { type: "result"; result: CallResult } | { type: "paused" } | { type: "thinking"; reason: string };

/** A call while it is made. */
export interface Call {
  readonly run: RunState;
  readonly iteration: RunningIteration;
  readonly callId: string;
  readonly asked: AskedCall;
  readonly askedHash: string;
  readonly tool: Tool;
  readonly past: PastCall | undefined;
  readonly ctx: CallContext;
  /** The effective input, as `execute` takes it: after statics and hook. */
  input: unknown;
  hash: string;
}

/** @throws HaftError only for what ends the run: `REPLAY_DIVERGED`, a store that failed */
export async function executeToolCall(
  run: RunState,
  iteration: RunningIteration,
  tools: ToolSet,
  callId: string,
  asked: AskedCall,
  assigns: Record<string, unknown>,
): Promise<Done> {
  const askedHash = hashOf([asked.name, asked.input]);
  const past = run.journal.call(callId);
  if (past?.call) assertSameCall(past.call, { name: asked.name, hash: askedHash });
  if (past?.end) return recalled(past.end);

  const tool = tools.find(asked.name);
  if (!tool || asked.invalid !== undefined) {
    noteCall(run, callId, asked, tool?.name ?? asked.name, asked.input, askedHash, askedHash);
    return failed(run, callId, tool?.name ?? asked.name, tool ? invalidJson(asked) : unknownTool(asked.name, tools), 0);
  }

  const ctx = contextOf(run, iteration, tool, callId, assigns, past);
  const call: Call = { run, iteration, callId, asked, askedHash, tool, past, ctx, input: undefined, hash: "" };
  const startedAt = Date.now();
  try {
    if (tool.missingOptions) throw optionsMissing(tool);
    await prepare(call, inputFromModel(tool, asked.input));
    const clearance = await clear(call);
    if (clearance.type === "paused") return clearance;
    if (clearance.type === "settled") return await ended(call, clearance.output, startedAt);
    if (clearance.input !== undefined) await prepare(call, clearance.input);
    return await perform(call, startedAt);
  } catch (error) {
    return stoppedBy(error, call, startedAt);
  }
}

/** A call of the batch that never started. */
export async function skipCall(run: RunState, callId: string, asked: AskedCall, reason: string): Promise<CallResult> {
  const past = run.journal.call(callId);
  if (past?.end) return resultOf(past.end);
  const hash = hashOf([asked.name, asked.input]);
  noteCall(run, callId, asked, asked.name, asked.input, hash, hash);
  const done = await failed(
    run,
    callId,
    asked.name,
    new HaftError("CALL_SKIPPED", `Not done: ${reason}. Ask again if it is still wanted.`),
    0,
  );
  return (done as { result: CallResult }).result;
}

/** Statics, hook, validation: gives the effective input, and records what is asked for. */
async function prepare(call: Call, input: unknown): Promise<void> {
  const { run, tool, ctx, callId } = call;
  let effective = applyStatics(input, tool.definition.staticInputValues, ctx);
  if (run.hooks.onBeforeTool) {
    const given = await run.hooks.onBeforeTool(eventOf(call, effective));
    if (given?.input !== undefined) effective = given.input;
  }
  call.input = effective;
  const shown = encodeInput(effective, tool);
  call.hash = hashOf([tool.name, shown]);
  if (call.past?.call?.hash !== call.hash)
    noteCall(run, callId, call.asked, tool.name, effective, call.hash, call.askedHash);

  const checked = checkInput(tool, effective);
  const value = checked instanceof Promise ? await checked : checked;
  ctx[channel].prepared = { raw: effective, value };
}

/** The start is in the log before the handler is called; the end before anyone sees the result. */
async function perform(call: Call, startedAt: number): Promise<Done> {
  const { run, tool, ctx, callId } = call;
  run.log.record(callId, { type: "tool-start", name: tool.name, attempt: ctx.attempt });
  const written = run.log.durable();
  if (written) await written;
  if (run.abortSignal.aborted) throw run.abortSignal.reason;
  return ended(call, await tool.execute(call.input, ctx), startedAt);
}

async function ended(call: Call, output: unknown, startedAt: number): Promise<Done> {
  const { run, tool, ctx, callId } = call;
  let value = output;
  if (run.hooks.onAfterTool) {
    const given = await run.hooks.onAfterTool({ ...eventOf(call, call.input), output });
    if (given && "output" in given) value = given.output;
  }
  const line = ctx[channel];
  const end = run.log.record(callId, {
    type: "tool-end",
    name: tool.name,
    durationMs: Date.now() - startedAt,
    ...(value !== undefined && { output: encode(value, "output") }),
    ...(line.content && { content: line.content }),
    ...(line.assigns && { assigns: encode(line.assigns, "assigns") }),
    ...(line.warnings && { warnings: line.warnings }),
  });
  const written = run.log.durable();
  if (written) await written;
  return recalled(end);
}

/** What a handler, a hook or a validation threw. */
async function stoppedBy(error: unknown, call: Call, startedAt: number): Promise<Done> {
  const { run, tool, callId, hash } = call;
  if (HaftError.is(error, "STORE_FAILED") || HaftError.is(error, "STORE_EPOCH_STALE")) throw error;
  if (SnapshotSignal.is(error)) {
    const meta = error.meta === undefined ? undefined : encode(error.meta, "meta");
    const input = encodeInput(call.input, tool);
    run.log.record(callId, {
      type: "tool-pause",
      name: tool.name,
      input,
      hash,
      reason: "snapshot",
      message: error.reason,
      ...(meta !== undefined && { meta }),
    });
    await run.log.durable();
    return { type: "paused" };
  }
  if (ThinkSignal.is(error)) {
    const output = encode(error.context ?? error.reason, "context");
    const signal = { type: "think" as const, reason: error.reason };
    run.log.record(callId, { type: "tool-end", name: tool.name, durationMs: Date.now() - startedAt, output, signal });
    await run.log.durable();
    return { type: "thinking", reason: error.reason };
  }
  return failed(run, callId, tool.name, error, Date.now() - startedAt, call.ctx[channel].warnings);
}

async function failed(
  run: RunState,
  callId: string,
  name: string,
  error: unknown,
  durationMs: number,
  warnings?: string[],
): Promise<Done> {
  const end = run.log.record(callId, {
    type: "tool-end",
    name,
    durationMs,
    error: logged(error),
    ...(warnings && { warnings }),
  });
  await run.log.durable();
  return recalled(end);
}

/** Whoever asked sees what was written: live and on a replay the same. */
function recalled(end: EntryOf<"tool-end">): Done {
  if (end.signal) return { type: "thinking", reason: end.signal.reason };
  return { type: "result", result: resultOf(end) };
}

function resultOf({ key: callId, name, output, content, error }: EntryOf<"tool-end">): CallResult {
  if (error) return { callId, name, ok: false, error };
  return {
    callId,
    name,
    ok: true,
    output: output === undefined ? undefined : decode(output),
    ...(content && { content }),
  };
}

function noteCall(
  run: RunState,
  callId: string,
  asked: AskedCall,
  name: string,
  input: unknown,
  hash: string,
  askedHash: string,
): void {
  run.log.record(callId, {
    type: "tool-call",
    id: asked.id,
    name,
    input: encode(input ?? null, "input"),
    hash,
    asked: askedHash,
  });
}

function encodeInput(input: unknown, tool: Tool) {
  return encode(input ?? null, `Tool "${tool.name}": input`);
}

function eventOf({ iteration, tool, run, callId }: Call, input: unknown): ToolEvent {
  return { iteration, tool, input, controller: run.controller, callId };
}

function contextOf(
  run: RunState,
  iteration: RunningIteration,
  tool: Tool,
  callId: string,
  assigns: Record<string, unknown>,
  past?: PastCall,
): CallContext {
  const { log } = run;
  const context = new CallContext({
    callId,
    attempt: (past?.attempts ?? 0) + 1,
    iteration: iteration.index,
    agent: run.options.agent,
    session: run.options.session,
    sandbox: run.sandbox,
    cwd: run.cwd,
    secrets: run.secrets,
    options: tool.optionValues,
    assigns,
    abortSignal: run.abortSignal,
    logger: run.logger,
    progress: (text) => log.emit({ type: "tool-output", key: callId, name: tool.name, text }),
    channel: {
      async onRetry(attempt, error) {
        log.emit({
          type: "retry",
          key: callId,
          what: "tool",
          name: tool.name,
          attempt,
          waitMs: 0,
          error: logged(error),
        });
        log.record(callId, { type: "tool-start", name: tool.name, attempt });
        await log.durable();
      },
    },
  });
  return context;
}

function invalidJson(asked: AskedCall): HaftError {
  return new HaftError(
    "TOOL_INPUT_INVALID",
    `The input of this call of "${asked.name}" is not valid JSON: ${asked.invalid}`,
    {
      hint: "Send one JSON object.",
    },
  );
}

function unknownTool(name: string, tools: ToolSet): HaftError {
  const names = tools.list.map((tool) => tool.name);
  const near = nearest(name, names);
  return new HaftError("TOOL_UNKNOWN", `There is no tool "${name}". The tools are: ${names.join(", ") || "none"}`, {
    ...(near && { hint: `Did you mean "${near}"?` }),
  });
}
