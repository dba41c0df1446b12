/** May this call run? Who must agree, and what was decided. */
import { decode } from "../base/codec.ts";
import { HaftError, messageOf } from "../base/errors.ts";
import { channel } from "../core/context.ts";
import type { Decision, PendingCall } from "../core/decision.ts";
import type { PauseReason } from "../core/log.ts";
import { toPending } from "../core/snapshot.ts";
import type { Call } from "./call.ts";

/**
 * - `run`: go on, with another input when one was decided.
 * - `settled`: the decision is the result.
 * - `paused`: wait.
 */
export type Clearance = { type: "run"; input?: unknown } | { type: "settled"; output: unknown } | { type: "paused" };

/** False for the common call: new, and of a tool that nobody must agree to. */
export function needsClearance({ past, tool }: Call): boolean {
  return past !== undefined || tool.definition.approval !== undefined;
}

export async function clear(call: Call): Promise<Clearance> {
  const { past, tool } = call;
  if (past?.decision && (past.decision.hash === call.hash || past.pause?.reason !== "approval"))
    return follow(past.decision.decision);
  if (past?.pause && past.pause.reason !== "approval") return { type: "paused" };
  if (past?.inDoubt && !tool.definition.idempotent && !tool.definition.readOnly) {
    return pause(
      call,
      "in-doubt",
      `"${tool.name}" had started when the run stopped; whether it did its work is not known`,
    );
  }
  const reason = await needsApproval(call);
  return reason === undefined ? { type: "run" } : approval(call, reason);
}

async function approval(call: Call, message: string): Promise<Clearance> {
  const { run } = call;
  const { approve } = run.options;
  const way = run.options.approvals ?? (approve ? "ask" : "interrupt");
  if (way === "deny") throw denied("this run does not allow calls that need approval");
  const pending = note(call, "approval", message);
  if (way === "interrupt" || !approve) return { type: "paused" };

  let answer: Decision | boolean;
  try {
    answer = await approve(pending);
  } catch (error) {
    answer = { deny: `asking for approval failed: ${messageOf(error)}` };
  }
  const decision: Decision =
    answer === true
      ? { approve: true }
      : typeof answer === "object" && answer
        ? answer
        : { deny: "it was not approved" };
  run.log.record(call.callId, { type: "decision", decision, hash: call.hash });
  return follow(decision);
}

function follow(decision: Decision): Clearance {
  if ("value" in decision) return { type: "settled", output: decode(decision.value) };
  if ("deny" in decision) throw denied(decision.deny);
  if ("error" in decision) throw new HaftError("CALL_REJECTED", decision.error);
  return { type: "run", ...("input" in decision && { input: decode(decision.input!) }) };
}

async function needsApproval({ tool, ctx }: Call): Promise<string | undefined> {
  const { approval } = tool.definition;
  const answer = typeof approval === "function" ? await approval(ctx[channel].prepared!.value, ctx) : approval;
  if (answer === undefined || answer === false || answer === "never") return undefined;
  return typeof answer === "string" && answer !== "always" ? answer : `"${tool.name}" needs approval`;
}

async function pause(call: Call, reason: PauseReason, message: string): Promise<Clearance> {
  note(call, reason, message);
  await call.run.log.durable();
  return { type: "paused" };
}

/** Records the pause, unless the log ends with the same one. */
function note(call: Call, reason: PauseReason, message: string): PendingCall {
  const { run, callId, tool, hash, past } = call;
  if (past?.pause?.reason === reason && past.pause.hash === hash) return toPending(past.pause);
  return toPending(
    run.log.record(callId, { type: "tool-pause", name: tool.name, input: call.shown, hash, reason, message }),
  );
}

function denied(reason: string): HaftError {
  return new HaftError("CALL_DENIED", `This call was denied: ${reason}`, {
    hint: "Do not try it another way; go on without it, or say what is missing.",
  });
}
