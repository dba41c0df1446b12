/** `haft approve` and `haft deny`: a decision about a call that waits, written into its session. */
import type { Json } from "../../base/json.ts";
import type { Decision, PendingCall } from "../../core/decision.ts";
import type { SessionStore } from "../../core/store.ts";
import { decide, waitingCalls, withSession } from "../../project/index.ts";
import { DENIED } from "../ask/approval.ts";
import { exitCodes, usageError } from "../exit-codes.ts";
import { findCalls } from "../find-calls.ts";
import { Screen } from "../render/screen.ts";
import { count, wrapWith } from "../render/text.ts";
import { cardSubject } from "../render/tool-card.ts";
import { visibleLine } from "../render/visible.ts";
import { shortId } from "../resume.ts";
import { resumeText } from "../resume-command.ts";
import { withStore } from "../with-store.ts";
import type { ResumeCommandFlags } from "./resume.ts";

export interface DecideFlags extends ResumeCommandFlags {
  session?: string;
  /** Go on at once. */
  resume?: boolean;
}

export interface ApproveFlags extends DecideFlags {
  /** JSON. */
  input?: string;
}

export interface DenyFlags extends DecideFlags {
  reason?: string;
}

export function approveCommand(call: string, { input, ...flags }: ApproveFlags): Promise<number> {
  const decision = { approve: true as const, ...(input !== undefined && { input: jsonOf(input) }) };
  return decideCommand(call, decision, flags);
}

export function denyCommand(call: string, { reason, ...flags }: DenyFlags): Promise<number> {
  return decideCommand(call, { deny: reason?.trim() || DENIED }, flags);
}

async function decideCommand(call: string, decision: Decision, flags: DecideFlags): Promise<number> {
  const { session: given, resume, ...settings } = flags;
  // With --resume, what a program reads on stdout is the run's alone.
  const screen = new Screen(resume && (flags.json || flags.quiet) ? process.stderr : process.stdout);
  const session = await withStore(flags, async (store) => {
    const found = await findCalls(store, call, given);
    const waiting = await write(store, found, decision);
    for (const one of found.calls) screen.print(decidedText(one, found.session, decision, screen.width));
    if (!resume) screen.print(nextText(waiting, found.session, settings, screen.width));
    return found.session;
  });
  if (!resume) return exitCodes.success;
  const { resumeCommand } = await import("./resume.ts");
  return resumeCommand(session, settings);
}

/** Gives the calls that wait still. */
function write(store: SessionStore, { session, calls }: Found, decision: Decision): Promise<PendingCall[]> {
  return withSession(store, session, async ({ epoch }) => {
    for (const { callId } of calls) await decide(store, session, { callId, decision, epoch });
    return waitingCalls(store, session);
  });
}

type Found = Awaited<ReturnType<typeof findCalls>>;

function decidedText({ callId, name, input }: PendingCall, session: string, decision: Decision, width: number): string {
  const label = "approve" in decision ? "Approved " : "Denied   ";
  const given = "approve" in decision && decision.input !== undefined ? decision.input : input;
  const subject = visibleLine(`${name} ${cardSubject(name, given, visibleLine)}`);
  return wrapWith(`${subject}. It is call ${shortId(callId)} of ${session}.`, width, label);
}

function nextText(waiting: readonly PendingCall[], session: string, flags: ResumeCommandFlags, width: number): string {
  const [next] = waiting;
  if (!next) return resumeText({ session, flags, width });
  const said = `${count(waiting.length, "call")} of this session wait${waiting.length === 1 ? "s" : ""}: ${waiting.map(({ callId, name }) => `${shortId(callId)} ${visibleLine(name)}`).join(", ")}.`;
  return `${wrapWith(said, width, "Waiting  ")}\nNext     haft approve ${shortId(next.callId)} --session ${session}`;
}

function jsonOf(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    throw usageError(
      `--input ${text} is not JSON.`,
      `Write the whole input of the call: --input '{"path":"notes.md"}'.`,
    );
  }
}
