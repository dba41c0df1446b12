/** One tool call, whoever asked: recall · statics · before hook · validate · approve · run · after hook · record. */
import { encode } from "../base/codec.ts";
import { HaftError } from "../base/errors.ts";
import { channel } from "../core/context.ts";
import type { ToolEvent } from "../core/hooks.ts";
import type { ToolSet } from "../core/mode.ts";
import type { AskedCall } from "../core/model.ts";
import { SnapshotSignal, ThinkSignal } from "../core/signals.ts";
import { inputFromModel } from "../core/tool-input.ts";
import { checkInput, optionsMissing } from "../core/tool-run.ts";
import { applyStatics } from "../core/tool-statics.ts";
import { type Call, type Done, hashOfCall, recalled } from "./call.ts";
import { contextOf } from "./call-context.ts";
import { clear, needsClearance } from "./clearance.ts";
import type { RunningIteration } from "./iteration.ts";
import { assertSameCall } from "./journal.ts";
import { logged } from "./logged-error.ts";
import type { RunState } from "./run-state.ts";
import { refused } from "./unstarted-call.ts";

/** @throws HaftError only for what ends the run: `REPLAY_DIVERGED`, a store that failed */
export async function executeToolCall(
  run: RunState,
  iteration: RunningIteration,
  tools: ToolSet,
  callId: string,
  asked: AskedCall,
  assigns: Record<string, unknown>,
): Promise<Done> {
  const past = run.journal.call(callId);
  if (past?.call)
    assertSameCall(past.call, { name: asked.name, hash: hashOfCall(asked.name, encode(asked.input ?? null)) });
  if (past?.end) return recalled(iteration, asked, past.end);

  const tool = tools.find(asked.name);
  if (!tool || asked.invalid !== undefined) return refused(run, iteration, tools, callId, asked, tool);

  const ctx = contextOf(run, iteration, tool, callId, assigns, past);
  const call: Call = {
    run,
    iteration,
    callId,
    asked,
    tool,
    past,
    ctx,
    startedAt: Date.now(),
    input: undefined,
    shown: null,
    hash: "",
  };
  try {
    if (tool.missingOptions) throw optionsMissing(tool);
    await prepare(call, inputFromModel(tool, asked.input));
    if (needsClearance(call)) {
      const clearance = await clear(call);
      if (clearance.type === "paused") return clearance;
      if (clearance.type === "settled") return await ended(call, clearance.output);
      if (clearance.input !== undefined) await prepare(call, clearance.input);
    }
    return await perform(call);
  } catch (error) {
    return stoppedBy(error, call);
  }
}

/** Statics, hook, validation: gives the effective input, and records what is asked for. */
async function prepare(call: Call, input: unknown): Promise<void> {
  const { run, tool, ctx, callId, asked } = call;
  let effective = applyStatics(input, tool.definition.staticInputValues, ctx);
  if (run.hooks.onBeforeTool) {
    const given = await run.hooks.onBeforeTool(eventOf(call, effective));
    if (given?.input !== undefined) effective = given.input;
  }
  call.input = effective;
  call.shown = encode(effective ?? null, `Tool "${tool.name}": input`);
  call.hash = hashOfCall(tool.name, call.shown);
  if (call.past?.call?.hash !== call.hash) {
    const isAsIs = effective === asked.input && tool.name === asked.name;
    const other = isAsIs ? undefined : { asked: hashOfCall(asked.name, encode(asked.input ?? null)) };
    run.log.record(callId, {
      type: "tool-call",
      id: asked.id,
      name: tool.name,
      input: call.shown,
      hash: call.hash,
      ...other,
    });
  }
  const checked = checkInput(tool, effective);
  const value = checked instanceof Promise ? await checked : checked;
  ctx[channel].prepared = { raw: effective, value };
}

/** The start is in the log before the handler is called; the end before anyone sees the result. */
async function perform(call: Call): Promise<Done> {
  const { run, tool, ctx, callId } = call;
  run.log.record(callId, { type: "tool-start", name: tool.name, attempt: ctx.attempt });
  const written = run.log.durable();
  if (written) await written;
  if (run.abort.aborted) throw run.abort.reason;
  return ended(call, await tool.execute(call.input, ctx));
}

async function ended(call: Call, output: unknown): Promise<Done> {
  const { run, tool, ctx, callId } = call;
  let value = output;
  if (run.hooks.onAfterTool) {
    const given = await run.hooks.onAfterTool({ ...eventOf(call, call.input), output });
    if (given && "output" in given) value = given.output;
  }
  const { content, assigns, warnings } = ctx[channel];
  const end = run.log.record(callId, {
    type: "tool-end",
    name: tool.name,
    durationMs: Date.now() - call.startedAt,
    ...(value !== undefined && { output: encode(value, "output") }),
    ...(content && { content }),
    ...(assigns && { assigns: encode(assigns, "assigns") }),
    ...(warnings && { warnings }),
  });
  const written = run.log.durable();
  if (written) await written;
  return recalled(call.iteration, call.asked, end);
}

/** What a handler, a hook or a validation threw. */
async function stoppedBy(error: unknown, call: Call): Promise<Done> {
  const { run, iteration, tool, callId, hash, asked } = call;
  if (HaftError.is(error, "STORE_FAILED") || HaftError.is(error, "STORE_EPOCH_STALE")) throw error;
  if (SnapshotSignal.is(error)) {
    const meta = error.meta === undefined ? undefined : { meta: encode(error.meta, "meta") };
    const pause = { name: tool.name, input: call.shown, hash, reason: "snapshot" as const, message: error.reason };
    run.log.record(callId, { type: "tool-pause", ...pause, ...meta });
    await run.log.durable();
    return { type: "paused" };
  }
  const { warnings } = call.ctx[channel];
  const end = run.log.record(callId, {
    type: "tool-end",
    name: tool.name,
    durationMs: Date.now() - call.startedAt,
    ...(ThinkSignal.is(error) ? thinking(error) : { error: logged(error) }),
    ...(warnings && { warnings }),
  });
  await run.log.durable();
  return recalled(iteration, asked, end);
}

function thinking(signal: ThinkSignal) {
  const output = encode(signal.context ?? signal.reason, "context");
  return { output, signal: { type: "think" as const, reason: signal.reason } };
}

function eventOf({ iteration, tool, run, callId }: Call, input: unknown): ToolEvent {
  return { iteration, tool, input, controller: run.controller, callId };
}
