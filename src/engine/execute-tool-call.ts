/** One tool call, whoever asked: recall · statics · before hook · validate · approve · run · after hook · record. */
import { decode, encode } from "../base/codec.ts";
import { HaftError } from "../base/errors.ts";
import { hashText, type Json } from "../base/json.ts";
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
import { clear, needsClearance } from "./clearance.ts";
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
  readonly tool: Tool;
  readonly past: PastCall | undefined;
  readonly ctx: CallContext;
  readonly startedAt: number;
  /** The effective input, as `execute` takes it: after statics and hook. */
  input: unknown;
  /** The same, encoded. */
  shown: Json;
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

/** A call of the batch that never started. */
export async function skipCall(
  run: RunState,
  iteration: RunningIteration,
  callId: string,
  asked: AskedCall,
  reason: string,
): Promise<CallResult> {
  const past = run.journal.call(callId);
  if (past?.end) {
    iteration.ended(asked.id, past.end);
    return resultOf(past.end);
  }
  const error = new HaftError("CALL_SKIPPED", `Not done: ${reason}. Ask again if it is still wanted.`);
  const done = await unstarted(run, iteration, callId, asked, asked.name, error);
  return (done as { result: CallResult }).result;
}

function refused(
  run: RunState,
  iteration: RunningIteration,
  tools: ToolSet,
  callId: string,
  asked: AskedCall,
  tool?: Tool,
): Promise<Done> {
  const error = tool ? invalidJson(asked) : unknownTool(asked.name, tools);
  return unstarted(run, iteration, callId, asked, tool?.name ?? asked.name, error);
}

async function unstarted(
  run: RunState,
  iteration: RunningIteration,
  callId: string,
  asked: AskedCall,
  name: string,
  error: HaftError,
): Promise<Done> {
  const input = encode(asked.input ?? null, "input");
  run.log.record(callId, { type: "tool-call", id: asked.id, name, input, hash: hashOfCall(asked.name, input) });
  const end = run.log.record(callId, { type: "tool-end", name, durationMs: 0, error: logged(error) });
  await run.log.durable();
  return recalled(iteration, asked, end);
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

/** Whoever asked sees what was written: live and on a replay the same. */
function recalled(iteration: RunningIteration, asked: AskedCall, end: EntryOf<"tool-end">): Done {
  iteration.ended(asked.id, end);
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

/** A decision, and a replay, hold for exactly this call. */
function hashOfCall(name: string, input: Json): string {
  return hashText(`${name} ${JSON.stringify(input)}`);
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
  return new CallContext({
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
    get abortSignal() {
      return run.abort.controller.signal; // made only for a handler that looks at it
    },
    logger: run.logger,
    progress: (text) => log.emit({ type: "tool-output", key: callId, name: tool.name, text }),
    channel: {
      abort: run.abort,
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
