/** May this call run? Who must agree, and what was decided. */
import { decode, encode } from "../base/codec.ts";
import { HaftError, messageOf } from "../base/errors.ts";
import { channel } from "../core/context.ts";
import type { Decision, PendingCall } from "../core/decision.ts";
import { checkDecision } from "../core/decision-check.ts";
import type { ExecuteOptions } from "../core/execute.ts";
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
  if (past?.inDoubt) {
    const { idempotent, readOnly } = tool.definition;
    const message = `"${tool.name}" had started when the run stopped; whether it did its work is not known`;
    if (!idempotent && !readOnly) return pause(call, "in-doubt", message);
    if (past.started === call.hash) return { type: "run" }; // it was allowed to start, and a second start changes nothing
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

  const decision = await ask(approve, pending);
  run.log.record(call.callId, { type: "decision", decision, hash: call.hash });
  return follow(decision);
}

/** What is not plainly a yes is a no. */
async function ask(approve: NonNullable<ExecuteOptions["approve"]>, pending: PendingCall): Promise<Decision> {
  try {
    const answer = await approve(pending);
    if (answer === true) return { approve: true };
    if (answer === false || answer === undefined || answer === null) return { deny: "it was not approved" };
    return asJson(checkDecision(answer));
  } catch (error) {
    return { deny: `asking for approval failed: ${messageOf(error)}` };
  }
}

/** Whoever answers in this process may give any value. */
function asJson(decision: Decision): Decision {
  if ("value" in decision) return { value: encode(decision.value, "value") };
  return "input" in decision ? { approve: true, input: encode(decision.input, "input") } : decision;
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
  const isReason = typeof answer === "string" && answer !== "" && answer !== "always";
  return isReason ? answer : `"${tool.name}" needs approval`;
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
