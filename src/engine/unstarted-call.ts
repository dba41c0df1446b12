/** Calls that never start: skipped, of no tool that there is, or with an input that is no JSON. */
import { encode } from "../base/codec.ts";
import { HaftError } from "../base/errors.ts";
import type { Exit } from "../core/exit.ts";
import type { ToolSet } from "../core/mode.ts";
import type { AskedCall } from "../core/model.ts";
import { nearest } from "../core/names.ts";
import type { Tool } from "../core/tool.ts";
import { type Done, recalled } from "./call.ts";
import type { RunningIteration } from "./iteration.ts";
import { hashOfCall } from "./journal.ts";
import { logged } from "./logged-error.ts";
import type { RunState } from "./run-state.ts";

/** A call of the batch that never started. */
export async function skipCall(
  run: RunState,
  iteration: RunningIteration,
  callId: string,
  asked: AskedCall,
  reason: string,
): Promise<Done> {
  const past = run.journal.call(callId);
  if (past?.end) return recalled(iteration, asked, past.end);
  const error = new HaftError("CALL_SKIPPED", `Not done: ${reason}. Ask again if it is still wanted.`);
  return unstarted(run, iteration, callId, asked, asked.name, error);
}

/** A program ended without it: an earlier process had started it, and nobody asks what became of it. */
export function noteAbandoned(run: RunState, callId: string, { name }: { name: string }): void {
  const error = new HaftError("ABORTED", `The program ended without waiting for this call of "${name}"`);
  run.log.record(callId, { type: "tool-end", name, durationMs: 0, error: logged(error) });
}

export function refused(
  run: RunState,
  iteration: RunningIteration,
  tools: ToolSet,
  callId: string,
  asked: AskedCall,
  tool?: Tool,
): Promise<Done> {
  const error = tool ? invalidJson(asked) : unknownTool(asked.name, tools, iteration.context?.exits ?? []);
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
  const place = asked.line === undefined ? undefined : { line: asked.line };
  run.log.record(callId, {
    type: "tool-call",
    id: asked.id,
    name,
    input,
    hash: hashOfCall(asked.name, input),
    ...place,
  });
  const end = run.log.record(callId, { type: "tool-end", name, durationMs: 0, error: logged(error) });
  const written = run.log.durable();
  if (written) await written;
  return recalled(iteration, asked, end);
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

function unknownTool(name: string, tools: ToolSet, exits: readonly Exit[]): HaftError {
  const toolNames = tools.list.map((tool) => tool.name);
  const exitNames = exits.map((exit) => exit.name);
  const near = nearest(name, [...toolNames, ...exitNames]);
  const exitsToo = exitNames.length > 0 ? `. The exits are: ${exitNames.join(", ")}` : "";
  const message = `There is no tool "${name}". The tools are: ${toolNames.join(", ") || "none"}${exitsToo}`;
  return new HaftError("TOOL_UNKNOWN", message, { ...(near && { hint: `Did you mean "${near}"?` }) });
}
