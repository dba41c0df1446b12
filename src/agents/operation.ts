/** One call of a typed operation: checked, run, and given back as a value. */
import { HaftError } from "../base/errors.ts";
import type { Dynamic, DynamicContext, ExecuteOptions } from "../core/execute.ts";
import { issueText, type Validator } from "../core/schema.ts";
import { modelText } from "../core/tool-result.ts";
import type { AgentBase } from "./agent.ts";
import type { AgentRunOptions } from "./agent-options.ts";
import { fenced } from "./fenced.ts";

export interface DefinedOperation {
  name: string;
  takes: Validator | undefined;
  /** Of its runs. */
  settings: ExecuteOptions;
}

/** @throws HaftError `OPERATION_INPUT_INVALID`, `OPERATION_INTERRUPTED`, and what its run failed with */
export async function runOperation(
  agent: AgentBase<any>,
  operation: DefinedOperation,
  input: unknown,
  options: AgentRunOptions<any>,
): Promise<unknown> {
  const prompt = await promptOf(operation, input);
  const { settings } = operation;
  const own = agent.options.instructions as Dynamic<string> | undefined;
  const instructions = joined(own, settings.instructions as string | undefined);
  const result = await agent.run(prompt, {
    ...settings,
    ...options,
    ...(options.instructions === undefined && { instructions }),
    exits: settings.exits,
  } as AgentRunOptions<any>);
  if (result.isError()) throw result.error;
  if (result.isInterrupted()) {
    const waiting = result.pending.map(({ callId, name }) => `"${name}" (${callId})`).join(", ");
    throw new HaftError("OPERATION_INTERRUPTED", `Operation "${operation.name}" waits for a decision on ${waiting}`, {
      hint: "Decide with Snapshot.from(error.data.snapshot), then call it again with the same input and { log: snapshot }.",
      data: { pending: result.pending, snapshot: result.snapshot.toJSON() },
    });
  }
  return result.output;
}

async function promptOf({ name, takes }: DefinedOperation, input: unknown): Promise<string> {
  if (!takes) {
    if (typeof input === "string") return input;
    throw invalid(name, "it takes text");
  }
  const checked = await takes.check(input);
  if (!checked.ok) throw invalid(name, issueText(checked.issues), { issues: checked.issues });
  const json = typeof checked.value === "string" ? JSON.stringify(checked.value) : modelText(checked.value) || "null";
  return `Do "${name}" for this input:\n\n${fenced(json)}`;
}

function invalid(name: string, problem: string, data?: Record<string, unknown>): HaftError {
  return new HaftError("OPERATION_INPUT_INVALID", `The input of operation "${name}" does not fit: ${problem}`, {
    hint: "No model was asked.",
    ...(data && { data }),
  });
}

/** The agent's own first. */
function joined(own: Dynamic<string> | undefined, more: string | undefined): Dynamic<string> | undefined {
  if (more === undefined || own === undefined) return more ?? own;
  if (typeof own === "string") return `${own}\n\n${more}`;
  return async (ctx: DynamicContext) => `${await own(ctx)}\n\n${more}`;
}
