/** One task of a sub-agent, from its words to what it gives. */

import { HaftError } from "../base/errors.ts";
import { LONGEST_TIMEOUT_MS } from "../base/watchdog.ts";
import { channel, type InternalContext, type ToolContext } from "../core/context.ts";
import { issueText } from "../core/schema.ts";
import { SnapshotSignal } from "../core/signals.ts";
import { Tool } from "../core/tool.ts";
import { fenced } from "./fenced.ts";
import type { Role } from "./subagent-role.ts";
import type { Turns } from "./turns.ts";

export interface Task {
  task: string;
  input?: unknown;
}

/** A call that makes a run is over when that run is: what happens in it is in the log before. */
export class SubagentTool extends Tool {
  override async execute(input?: unknown, ctx: Partial<ToolContext> = {}): Promise<any> {
    try {
      return await super.execute(input, ctx);
    } catch (error) {
      await (ctx as InternalContext)[channel]?.nested?.ended;
      throw error;
    }
  }
}

/** Of every tool that gives tasks. What a task has done is in the log, so that it goes on after a crash. */
export const ofSubagents = { idempotent: true, timeoutMs: Number.POSITIVE_INFINITY, outputValidation: "off" } as const;

/** @throws HaftError what the task does not fit, or what its run failed with */
export async function runSubagent(
  role: Role,
  turns: Turns,
  { task, input }: Task,
  given: ToolContext,
): Promise<unknown> {
  const ctx: InternalContext = given;
  const { nested } = ctx[channel] ?? {};
  if (!nested) throw outsideRun(role);
  const prompt = promptOf(task, await readInput(role, input));
  return turns.take(ctx.abortSignal, async () => {
    const limit = new TimeLimit(role, ctx.abortSignal);
    try {
      const options = { ...role.options, prompt, abortSignal: limit.signal };
      const result = await nested.run(options, { secrets: role.secrets });
      if (result.isSuccess()) return result.output;
      if (result.isInterrupted()) {
        ctx[channel]!.waitsInside = true;
        throw new SnapshotSignal(`"${role.name}" waits for somebody`);
      }
      throw failed(role, result.error);
    } finally {
      limit.end();
    }
  });
}

/** @throws HaftError `TOOL_INPUT_INVALID`, with what the role takes */
async function readInput({ name, input: schema, needsInput }: Role, given: unknown): Promise<unknown> {
  if (!schema) {
    if (given === undefined) return undefined;
    throw new HaftError("TOOL_INPUT_INVALID", `"${name}" takes no input beside its task`, {
      hint: "Put all that it needs into the task.",
    });
  }
  if (given === undefined && !needsInput) return undefined;
  const checked = await schema.check(given ?? {});
  if (checked.ok) return checked.value;
  throw new HaftError("TOOL_INPUT_INVALID", `The input of "${name}" does not fit: ${issueText(checked.issues)}`, {
    hint: `Its input: ${JSON.stringify(schema.json)}`,
    data: { issues: checked.issues },
  });
}

function promptOf(task: string, input: unknown): string {
  return input === undefined ? task : `${task}\n\n${fenced(JSON.stringify(input, null, 2))}`;
}

/** Aborted with the call, or when the time of the role is up. */
class TimeLimit {
  readonly signal: AbortSignal;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;

  constructor({ name, timeoutMs }: Role, outer: AbortSignal) {
    if (timeoutMs > LONGEST_TIMEOUT_MS) {
      this.signal = outer;
      return;
    }
    const controller = new AbortController();
    const error = new HaftError("TOOL_TIMEOUT", `"${name}" did not finish within ${timeoutMs} ms`, {
      hint: "Give it less to do at once. Its timeoutMs can be raised.",
    });
    this.#timer = setTimeout(() => controller.abort(error), timeoutMs);
    this.signal = AbortSignal.any([outer, controller.signal]);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

/** The call fails as its run did; a log that tells another story is that of the run around. */
function failed({ name }: Role, { code, message, hint, data, cause }: HaftError): HaftError {
  if (code === "REPLAY_DIVERGED") return new HaftError(code, message, { ...(hint && { hint }), data, cause });
  return new HaftError(code, `"${name}" failed: ${message}`, { ...(hint && { hint }), data, cause });
}

function outsideRun({ name }: Role): HaftError {
  return new HaftError("SUBAGENT_UNAVAILABLE", `"${name}" was called outside a run`, {
    hint: "A sub-agent works as a part of the run whose model called it. Run its agent by itself instead.",
  });
}
