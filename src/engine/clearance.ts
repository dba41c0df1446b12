/** May this call run? Who must agree, and what was decided. */
import { decode, encode } from "../base/codec.ts";
import { HaftError, messageOf } from "../base/errors.ts";
import { channel } from "../core/context.ts";
import type { Decision, PendingCall } from "../core/decision.ts";
import { checkDecision } from "../core/decision-check.ts";
import type { ExecuteOptions } from "../core/execute.ts";
import type { PauseReason } from "../core/log.ts";
import { isExpired, toPending } from "../core/snapshot.ts";
import { aborted } from "../core/tool-run.ts";
import type { Call } from "./call.ts";
import type { Verdict } from "./policy/policy.ts";
import { untilAbort } from "./until-abort.ts";

/**
 * - `run`: go on, with another input when one was decided.
 * - `settled`: the decision is the result.
 * - `paused`: wait.
 */
export type Clearance = { type: "run"; input?: unknown } | { type: "settled"; output: unknown } | { type: "paused" };

/** False for the common call: new, without a policy, and of a tool that nobody must agree to. */
export function needsClearance({ run, past, tool }: Call): boolean {
  return past !== undefined || run.policy !== undefined || tool.definition.approval !== undefined;
}

/** @throws HaftError `CALL_DENIED`, `CALL_REJECTED` */
export async function clear(call: Call): Promise<Clearance> {
  const { past, tool } = call;
  const decided = standingDecision(call);
  if (decided && !("approve" in decided)) return follow(decided); // it says what comes of the call: nothing runs
  if (!decided) {
    if (past?.pause && past.pause.reason !== "approval") return { type: "paused" };
    if (past?.pause && past.pause.hash === call.hash && isExpired(past.pause)) return follow(unanswered(call));
    if (past?.inDoubt && !tool.definition.idempotent && !tool.definition.readOnly) {
      const message = `"${tool.name}" had started when the run stopped; whether it did its work is not known`;
      return pause(call, "in-doubt", message);
    }
  }
  const verdict = await judged(call);
  if (decided && past?.decision?.hash === call.hash) return follow(decided);
  if (past?.inDoubt && past.started === call.hash) return { type: "run" }; // it was allowed to start, and a second start changes nothing
  // Somebody was asked: that nothing asks any more is no answer.
  const asked = decided ? undefined : past?.pause?.message;
  const reason = verdict ? reasonToAsk(call, verdict) : ((await needsApproval(call)) ?? asked);
  if (reason !== undefined) return approval(call, reason);
  return decided ? follow(decided) : { type: "run" };
}

/** The input that someone decided on instead: they agreed to it, and not to what the policy denies or a hook made of it. */
export async function clearChanged(call: Call): Promise<void> {
  await judged(call);
  if (call.changedByHook) throw denied("onBeforeTool changed the input that was approved");
}

/** What was decided about this very call. Of one that paused by itself, or is in doubt, it counts whatever its input is. */
function standingDecision({ past, hash }: Call): Decision | undefined {
  if (!past?.decision) return undefined;
  return past.decision.hash === hash || past.pause?.reason !== "approval" ? past.decision.decision : undefined;
}

/** @throws HaftError `CALL_DENIED`, also for a call that was approved under another policy */
async function judged({ run, tool, ctx, past }: Call): Promise<Verdict | undefined> {
  const input = ctx[channel].prepared!.value;
  const verdict = await run.policy?.judge({ tool, input, ctx, sandbox: run.sandbox });
  if (verdict?.then !== "deny") return verdict;
  const isInDoubt = past?.inDoubt || past?.pause?.reason === "in-doubt";
  const doubt = isInDoubt ? ". It had started before; whether it did its work is not known" : "";
  throw denied(`${verdict.reason ?? "the policy of this run does not allow it"}${doubt}`, { rule: verdict.rule });
}

function reasonToAsk({ tool }: Call, { then, reason }: Verdict): string | undefined {
  return then === "allow" ? undefined : (reason ?? `the policy of this run asks about "${tool.name}"`);
}

async function approval(call: Call, message: string): Promise<Clearance> {
  const { run } = call;
  const { approve } = run.options;
  const way = run.options.approvals ?? (approve ? "ask" : "interrupt");
  if (way === "deny") throw denied("this run does not allow calls that need approval");
  run.budget?.admits(call.tool.name);
  const pending = note(call, "approval", message);
  if (way === "interrupt" || !approve) return { type: "paused" };

  run.budget?.asks();
  const decision = await whileWanted(call, inTime(call, ask(approve, pending), pending)).finally(() =>
    run.budget?.answered(),
  );
  if (decision === undefined) return follow(unanswered(call));
  run.log.record(call.callId, { type: "decision", decision, hash: call.hash });
  return follow(decision);
}

/** Undefined: nobody answered in time. */
function inTime(
  { run, ctx }: Call,
  asking: Promise<Decision>,
  { expiresAt }: PendingCall,
): Promise<Decision | undefined> {
  if (expiresAt === undefined) return asking;
  const abort = ctx[channel].abort ?? run.abort;
  return import("./until-time.ts").then(({ untilTime }) => untilTime(asking, expiresAt, abort));
}

/** Nobody's silence is a yes. */
function unanswered(call: Call): Decision {
  const decision = { deny: "nobody answered in time" };
  call.run.log.record(call.callId, { type: "decision", decision, hash: call.hash });
  return decision;
}

/** A program may end without this call: then nobody's answer is waited for. @throws HaftError `ABORTED` */
function whileWanted<T>({ run, tool, ctx }: Call, asking: Promise<T>): Promise<T> {
  const { abort } = ctx[channel];
  if (!abort || abort === run.abort) return asking;
  return untilAbort(abort, asking, 0).catch((reason) => {
    throw aborted(tool, reason);
  });
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
  const { approvalTimeoutMs } = run.options;
  const isLimited = reason === "approval" && approvalTimeoutMs !== undefined;
  const end = isLimited ? { expiresAt: Date.now() + approvalTimeoutMs } : undefined;
  const body = { name: tool.name, input: call.shown, hash, reason, message, ...end };
  return toPending(run.log.record(callId, { type: "tool-pause", ...body }));
}

function denied(reason: string, data?: { rule: number }): HaftError {
  return new HaftError("CALL_DENIED", `This call was denied: ${reason}`, {
    data,
    hint: "Do not try it another way; go on without it, or say what is missing.",
  });
}
