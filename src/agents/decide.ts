/** A decision about a call that waits, as the entry that it becomes. */
import { encode } from "../base/codec.ts";
import { HaftError } from "../base/errors.ts";
import { isPlainObject } from "../base/json.ts";
import type { Decision, PendingCall } from "../core/decision.ts";
import { checkDecision } from "../core/decision-check.ts";
import type { Entry } from "../core/log.ts";
import { pendingCalls, Snapshot } from "../core/snapshot.ts";
import type { AgentOptions } from "./agent-options.ts";

export interface Asked {
  session: string;
  callId: string;
  decision: Decision;
  principal: unknown;
  approver: AgentOptions["approver"];
}

/** @throws HaftError `DECISION_INVALID`, `DECISION_UNKNOWN`, `DECISION_FORBIDDEN` */
export async function decisionEntry(entries: readonly Entry[], asked: Asked): Promise<Entry> {
  const { callId } = asked;
  const decision = asJson(checkDecision(asked.decision));
  const decided = new Snapshot("", [...entries]).decide(callId, decision, nameOf(asked.principal));
  const call = pendingCalls(entries).find((pending) => pending.callId === callId)!;
  if (asked.approver && !(await agrees(call, decision, asked))) throw forbidden(call, asked);
  return decided.entries.at(-1)!;
}

/** The log keeps a name only, where there is one: text, or an object that has it as `name` or `id`. */
function nameOf(principal: unknown): { by?: string } {
  const { name, id } = isPlainObject(principal) ? principal : {};
  const by = [principal, name, id].find((one) => typeof one === "string" && one !== "");
  return by === undefined ? {} : { by: by as string };
}

/** Whoever decides in this process may give any value. */
function asJson(decision: Decision): Decision {
  if ("value" in decision) return { value: encode(decision.value, "value") };
  if ("approve" in decision && decision.input !== undefined)
    return { approve: true, input: encode(decision.input, "input") };
  return decision;
}

/** What is not plainly a yes is a no. */
async function agrees(
  call: PendingCall,
  decision: Decision,
  { session, principal, approver }: Asked,
): Promise<boolean> {
  try {
    return (await approver!({ ...call, session, decision: structuredClone(decision) }, principal)) === true;
  } catch {
    return false;
  }
}

function forbidden({ callId, name }: PendingCall, { session }: Asked): HaftError {
  return new HaftError("DECISION_FORBIDDEN", `This principal may not decide about "${name}" (${callId})`, {
    hint: "The agent's approver did not agree. Nothing was written, and the call still waits.",
    data: { callId, session },
  });
}
