/** `haft run`: one task, from the command line to the exit code. */

import { newId } from "../../base/ids.ts";
import {
  decide,
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
import { checkApplyFlag, finishChanges } from "../finish-changes.ts";
import { Screen } from "../render/screen.ts";
import { jsonReporter, quietReporter, type Reporter, screenReporter } from "../reporter.ts";
import { checkGoesOn, checkResumeFlags, type ResumeFlags, recordDecisions } from "../resume.ts";
import { signalExitCodes } from "../signals.ts";
import { takeTurn } from "../take-turn.ts";
import { readTask } from "../task.ts";

export interface RunFlags extends SettingFlags, ResumeFlags {
  json?: boolean;
  quiet?: boolean;
  apply?: boolean;
  stdin?: boolean;
}

/** @throws HaftError for whatever keeps the run from starting, and for changes that cannot be applied */
export async function runCommand(words: readonly string[], flags: RunFlags): Promise<number> {
  checkFlags(flags);
  const errors = new Screen(process.stderr);
  const reporter = reporterFor(flags, errors);
  const settings = await readSettings(flags);
  const isNothingElse = words.length === 0 && flags.session === undefined;
  const waits = flags.stdin === true || isNothingElse;
  const { prompt, notes } = await readTask({ words, waits, tell: (note) => errors.print(note) });
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

async function runIn(project: Project, { prompt, flags, reporter, errors }: Going): Promise<number> {
  const session = flags.session ?? newId("session");
  const answers = new SessionAnswers();
  await recordDecisions(project.store, session, flags);
  if (prompt === undefined) await checkGoesOn(project.store, session);
  reporter.begin(project, await project.store.read(session));
  if (reporter.asks && prompt === undefined) await askAboutWaiting(project, session, reporter.asks, answers);

  const { result, durationMs, signal } = await takeTurn(project, { prompt, session, reporter, answers });
  reporter.end(result, { durationMs, session });
  const sentence = endingText(result, { session, flags, signal, screen: errors });
  if (sentence) errors.print(sentence);

  const ending = { succeeded: result.status !== "error", asks: signal === undefined || signal === "SIGINT" };
  await finishChanges(project, reporter, { apply: flags.apply, session, result, ...ending });
  return wasStopped(result, signal) ? signalExitCodes[signal] : exitCodeOfResult(result);
}

/** A call that waits since an earlier process is asked about before the run goes on. */
async function askAboutWaiting(
  project: Project,
  session: string,
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
    await decide(store, session, call.callId, decision);
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
