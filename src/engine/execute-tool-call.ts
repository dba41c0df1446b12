/** One tool call, whoever asked: recall · statics · before hook · validate · approve · run · after hook · record. */
import { decode, encode } from "../base/codec.ts";
import { HaftError } from "../base/errors.ts";
import { copyPlain, type Json } from "../base/json.ts";
import { type AbortSource, channel } from "../core/context.ts";
import type { ToolEvent } from "../core/hooks.ts";
import type { EntryBody } from "../core/log.ts";
import type { ToolSet } from "../core/mode.ts";
import type { AskedCall } from "../core/model.ts";
import { SnapshotSignal, ThinkSignal } from "../core/signals.ts";
import { inputFromModel } from "../core/tool-input.ts";
import { aborted, checkInput, optionsMissing } from "../core/tool-run.ts";
import { applyStatics } from "../core/tool-statics.ts";
import { type Call, type Done, hashOfAsked, recalled, sentBy } from "./call.ts";
import { contextOf } from "./call-context.ts";
import { clear, clearChanged, needsClearance } from "./clearance.ts";
import type { RunningIteration } from "./iteration.ts";
import { divergence, hashOfCall } from "./journal.ts";
import { logged, readable } from "./logged-error.ts";
import type { RunState } from "./run-state.ts";
import { refused } from "./unstarted-call.ts";

/** Rejects only with what ends the run: `REPLAY_DIVERGED`, a store that failed. */
export function executeToolCall(
  run: RunState,
  iteration: RunningIteration,
  tools: ToolSet,
  callId: string,
  asked: AskedCall,
  assigns: Record<string, unknown>,
  abort: AbortSource = run.abort,
): Promise<Done> {
  const past = run.journal.call(callId);
  const diverged = past?.call && divergence(past.call, asked.name, sentBy(asked));
  if (diverged) return Promise.reject(diverged);
  if (past?.end) return Promise.resolve(recalled(iteration, asked, past.end));

  const tool = tools.find(asked.name);
  if (!tool || asked.invalid !== undefined) return refused(run, iteration, tools, callId, asked, tool);

  return make({
    run,
    iteration,
    callId,
    asked,
    tool,
    past,
    ctx: contextOf(run, iteration, tool, callId, assigns, abort, past),
    startedAt: Date.now(),
    input: undefined,
    shown: null,
    hash: "",
    changedByHook: false,
  });
}

async function make(call: Call): Promise<Done> {
  const { tool, asked, past } = call;
  try {
    if (tool.missingOptions) throw optionsMissing(tool);
    const input = past?.changed === undefined ? inputFromModel(tool, asked.input) : decode(past.changed);
    const preparing = prepare(call, input);
    if (preparing) await preparing;
    const cleared = needsClearance(call) ? await clearedOrDone(call) : undefined;
    if (cleared) return cleared;
    const started = begin(call);
    if (started) await started;
    const done = ended(call, await tool.execute(call.input, call.ctx));
    return done instanceof Promise ? await done : done;
  } catch (error) {
    return stoppedBy(error, call);
  }
}

/** Something only when the call does not run. */
async function clearedOrDone(call: Call): Promise<Done | undefined> {
  const clearance = await clear(call);
  if (clearance.type === "paused") return clearance;
  if (clearance.type === "settled") return ended(call, clearance.output);
  if (clearance.input === undefined) return undefined;
  await prepare(call, clearance.input);
  await clearChanged(call);
  return undefined;
}

/** Statics, hook, validation: gives the effective input, and records what is asked for. */
function prepare(call: Call, input: unknown): void | Promise<void> {
  const { run, tool, ctx } = call;
  const own = copyPlain(input); // what was asked for stays as it is, whatever a handler does with its input
  const effective = applyStatics(own, tool.definition.staticInputValues, ctx);
  if (!run.hooks.onBeforeTool) return accept(call, input, effective);
  const before = hashOfCall(tool.name, encode(effective ?? null));
  const hook = async () => run.hooks.onBeforeTool!(eventOf(call, effective));
  return hook().then((given) => {
    // A copy: what is judged and agreed to is what runs, whatever the hook does later with what it gave.
    const accepted = accept(call, input, copyPlain(given?.input === undefined ? effective : given.input));
    call.changedByHook = call.hash !== before;
    return accepted;
  });
}

/** Notes the call, and checks its effective input: at once, where the schema can. */
function accept(call: Call, input: unknown, effective: unknown): void | Promise<void> {
  const { run, tool, ctx } = call;
  call.input = effective;
  // Without secrets, so that a decision about the call holds when one of them is changed.
  call.shown = run.log.redacted(encode(effective ?? null, `Tool "${tool.name}": input`));
  call.hash = hashOfCall(tool.name, call.shown);
  if (call.past?.call?.hash !== call.hash) noteCall(call, input);

  const keep = (value: unknown) => {
    ctx[channel].prepared = { raw: effective, value };
  };
  const checked = checkInput(tool, effective, ctx);
  return checked instanceof Promise ? checked.then(keep) : keep(checked);
}

function noteCall({ run, callId, asked, tool, shown, hash }: Call, given: unknown): void {
  const mayDiffer = run.hooks.onBeforeTool !== undefined || tool.definition.staticInputValues !== undefined;
  const isAsAsked = !mayDiffer && given === asked.input && tool.name === asked.name;
  const other = isAsAsked ? undefined : { asked: hashOfAsked(asked) };
  const place = asked.line === undefined ? undefined : { line: asked.line };
  run.log.record(callId, { type: "tool-call", id: asked.id, name: tool.name, input: shown, hash, ...other, ...place });
}

/** The start is in the log before the handler is called. */
function begin({ run, tool, ctx, callId, iteration }: Call): void | Promise<void> {
  run.budget?.calls(tool.name);
  run.log.record(callId, { type: "tool-start", name: tool.name, attempt: ctx.attempt });
  iteration.begins(callId);
  const check = () => {
    const { abort } = ctx[channel];
    if (abort?.aborted) throw aborted(tool, abort.reason);
  };
  const written = run.log.durable();
  return written ? written.then(check) : check();
}

/** The end is in the log before anyone sees the result. */
function ended(call: Call, output: unknown): Done | Promise<Done> {
  if (call.run.hooks.onAfterTool) return afterTool(call, output).then((value) => conclude(call, value));
  return conclude(call, output);
}

type ToolEnd = Extract<EntryBody, { type: "tool-end" }>;

function conclude(call: Call, value: unknown): Done | Promise<Done> {
  const { run, tool, ctx, callId } = call;
  const { content, assigns, warnings } = ctx[channel];
  const body: ToolEnd = { type: "tool-end", name: tool.name, durationMs: Date.now() - call.startedAt };
  if (value !== undefined) body.output = encode(value, "output");
  if (content) body.content = copyPlain(content);
  if (assigns) body.assigns = encode(assigns, "assigns");
  if (warnings) body.warnings = warnings;
  const limit = limitFor(call);
  if (limit !== undefined) body.limit = limit;
  const end = run.log.record(callId, body);
  const done = () => recalled(call.iteration, call.asked, end);
  const written = run.log.durable();
  return written ? written.then(done) : done();
}

/** Where the model reads a preview, unless it is where it always is. */
function limitFor({ run, tool }: Call): number | undefined {
  const limit = tool.definition.resultLimit ?? run.options.resultLimit;
  return limit === false ? 0 : limit;
}

async function afterTool(call: Call, output: unknown): Promise<unknown> {
  const given = await call.run.hooks.onAfterTool!({ ...eventOf(call, call.input), output });
  return typeof given === "object" && given !== null && "output" in given ? given.output : output;
}

/** What a handler, a hook or a validation threw. */
async function stoppedBy(thrown: unknown, call: Call): Promise<Done> {
  const { run, iteration, tool, callId, hash, asked } = call;
  if (run.log.failure) throw run.log.failure;
  const error = readable(thrown);
  if (call.ctx[channel].nested?.ended && HaftError.is(error, "REPLAY_DIVERGED")) throw error; // the log tells another story
  if (SnapshotSignal.is(error)) {
    const meta = writable(error.meta);
    const pause = {
      name: tool.name,
      input: call.shown,
      hash,
      reason: call.ctx[channel].waitsInside ? ("nested" as const) : ("snapshot" as const),
      message: String(error.reason),
    };
    run.log.record(callId, { type: "tool-pause", ...pause, ...(meta !== undefined && { meta }) });
    await run.log.durable();
    return { type: "paused" };
  }
  const { warnings } = call.ctx[channel];
  const limit = limitFor(call);
  const end = run.log.record(callId, {
    type: "tool-end",
    name: tool.name,
    durationMs: Date.now() - call.startedAt,
    ...(ThinkSignal.is(error) ? thinking(error) : { error: logged(error) }),
    ...(warnings && { warnings }),
    ...(limit !== undefined && { limit }),
  });
  const written = run.log.durable();
  if (written) await written; // what ends first is told first: see Batch
  return recalled(iteration, asked, end);
}

function thinking({ reason, context }: ThinkSignal) {
  const text = String(reason);
  return { output: writable(context) ?? text, signal: { type: "think" as const, reason: text } };
}

/** What goes with a signal, where it can be written: the signal itself counts in any case. */
function writable(value: unknown): Json | undefined {
  try {
    return value === undefined || value === null ? undefined : encode(value, "value");
  } catch {
    return undefined;
  }
}

function eventOf({ iteration, tool, run, callId }: Call, input: unknown): ToolEvent {
  return { iteration, tool, input, controller: run.controller, callId };
}
