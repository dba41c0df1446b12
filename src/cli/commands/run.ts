/** `haft run`: one task, from the command line to the exit code. */

import { newId } from "../../base/ids.ts";
import {
  decide,
  type HeldSession,
  holdSession,
  openProject,
  type Project,
  readSettings,
  type SettingFlags,
  waitingCalls,
} from "../../project/index.ts";
import { approvalPrompt } from "../ask/approval.ts";
import { askForModel } from "../ask/model.ts";
import { SessionAnswers } from "../ask/session-answers.ts";
import { closeProject } from "../close-project.ts";
import { endingText, wasStopped } from "../ending.ts";
import { exitCodeOfResult, exitCodes, usageError } from "../exit-codes.ts";
import { findSession, namedSession } from "../find-session.ts";
import { checkApplyFlag, finishChanges } from "../finish-changes.ts";
import { Screen } from "../render/screen.ts";
import { jsonReporter, quietReporter, type Reporter, screenReporter } from "../reporter.ts";
import { checkGoesOn, checkResumeFlags, type ResumeFlags, recordDecisions } from "../resume.ts";
import { signalExitCodes } from "../signals.ts";
import { takeTurn } from "../take-turn.ts";
import { readTask, type Task } from "../task.ts";
import type { WatchedRun } from "../watch-run.ts";

export interface RunFlags extends SettingFlags, ResumeFlags {
  json?: boolean;
  quiet?: boolean;
  apply?: boolean;
  stdin?: boolean;
}

/** @throws HaftError for whatever keeps the run from starting, and for changes that cannot be applied */
export function runCommand(words: readonly string[], flags: RunFlags): Promise<number> {
  const isNothingElse = words.length === 0 && flags.session === undefined;
  const waits = flags.stdin === true || isNothingElse;
  return startRun(flags, (errors) => readTask({ words, waits, tell: (note) => errors.print(note) }));
}

/** The task is read when the settings are known to be good. */
export async function startRun(flags: RunFlags, read: (errors: Screen) => Promise<Task>): Promise<number> {
  checkFlags(flags);
  const errors = new Screen(process.stderr);
  const reporter = reporterFor(flags, errors);
  const settings = await readSettings(flags);
  const { prompt, notes } = await read(errors);
  if (prompt === undefined && flags.session === undefined) {
    throw usageError("There is no task.", 'Say what to do: haft run "fix the failing test", or pipe it in.');
  }
  const model = settings.model ?? (await askForModel(settings.env, reporter.asks !== undefined));
  if (model === undefined) return exitCodes.interrupted;

  const project = await openProject(settings, model);
  try {
    checkApplyFlag(project, flags.apply);
    project.notes.push(...notes);
    const repeatable = settings.model === undefined ? { ...flags, model: String(model) } : flags;
    return await runIn(project, { prompt, flags: repeatable, reporter, errors });
  } finally {
    await closeProject(project);
  }
}

interface Going {
  prompt: string | undefined;
  flags: RunFlags;
  reporter: Reporter;
  /** Where sentences about failures go. */
  errors: Screen;
}

async function runIn(project: Project, going: Going): Promise<number> {
  const { flags, reporter, errors } = going;
  const session = await sessionOf(project, going);
  const held = await holdSession(project.store, session);
  const { result, durationMs, signal } = await runHeld(project, session, held, going).finally(() => held.end());
  reporter.end(result, { durationMs, session });
  const sentence = endingText(result, { session, flags, signal, screen: errors });
  if (sentence) errors.print(sentence);

  const ending = { succeeded: result.status !== "error", asks: signal === undefined || signal === "SIGINT" };
  await finishChanges(project, reporter, { apply: flags.apply, session, result, ...ending });
  return wasStopped(result, signal) ? signalExitCodes[signal] : exitCodeOfResult(result);
}

/** One that goes on must be there; with a task, it may be a new one. */
async function sessionOf({ store }: Project, { prompt, flags: { session } }: Going): Promise<string> {
  if (session === undefined) return newId("session");
  return namedSession(store, prompt === undefined ? await findSession(store, session) : session);
}

async function runHeld(
  project: Project,
  session: string,
  held: HeldSession,
  { prompt, flags, reporter }: Going,
): Promise<WatchedRun> {
  const { store } = project;
  const answers = new SessionAnswers();
  await recordDecisions(store, { session, epoch: held.epoch }, flags);
  if (prompt === undefined) await checkGoesOn(store, session);
  reporter.begin(project, await store.read(session));
  if (reporter.asks && prompt === undefined) {
    await askAboutWaiting(project, { session, epoch: held.epoch }, reporter.asks, answers);
  }
  return takeTurn(project, { prompt, session, held, reporter, answers });
}

/** A call that waits since an earlier process is asked about before the run goes on. */
async function askAboutWaiting(
  project: Project,
  { session, epoch }: { session: string; epoch: number },
  screen: Screen,
  answers: SessionAnswers,
): Promise<void> {
  const { store } = project;
  let stopped = false;
  const cancel = () => {
    stopped = true;
  };
  const ask = approvalPrompt(screen, { project, answers, cancel });
  for (const call of await waitingCalls(store, session)) {
    if (call.reason === "snapshot") continue;
    const decision = await ask(call);
    if (stopped) return;
    await decide(store, session, { callId: call.callId, decision, epoch });
  }
}

function reporterFor({ json, quiet }: RunFlags, notes: Screen): Reporter {
  if (json) return jsonReporter(process.stdout, notes);
  if (quiet) return quietReporter(process.stdout, notes);
  const screen = new Screen();
  return screenReporter(screen, screen.isLive && process.stdin.isTTY === true);
}

function checkFlags(flags: RunFlags): void {
  if (flags.json && flags.quiet) throw usageError("--json and --quiet exclude each other.", "Choose one of them.");
  checkResumeFlags(flags);
}
