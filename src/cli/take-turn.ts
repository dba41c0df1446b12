/** One run in a project and a session, watched to its end; whoever is there is asked about calls that need it. */
import { execute } from "../index.ts";
import type { HeldSession, Project } from "../project/index.ts";
import { approvalPrompt } from "./ask/approval.ts";
import type { SessionAnswers } from "./ask/session-answers.ts";
import { closeProject } from "./close-project.ts";
import type { Reporter } from "./reporter.ts";
import { type WatchedRun, watchRun } from "./watch-run.ts";

/** Milliseconds that processes get to end when nobody wants to wait any longer. */
const LAST_WAIT = 2000;

export interface Turn {
  session: string;
  held: HeldSession;
  /** undefined: the session goes on where it stopped. */
  prompt: string | undefined;
  reporter: Reporter;
  /** What a person agreed to for the whole session. */
  answers: SessionAnswers;
}

export async function takeTurn(
  project: Project,
  { session, held, prompt, reporter, answers }: Turn,
): Promise<WatchedRun> {
  const prompts = new AbortController();
  let isCancelled = false;
  const cancel = () => {
    isCancelled = true;
    run.abort("Ctrl-C");
  };
  const { asks } = reporter;
  const approve = asks && approvalPrompt(asks, { project, answers, cancel, abortSignal: prompts.signal });
  const run = execute({
    ...project.options,
    session,
    epoch: held.epoch,
    abortSignal: held.lost,
    ...(approve && { approve }),
    ...(prompt !== undefined && { prompt }),
  });
  const watched = await watchRun(run, reporter, {
    stop: () => prompts.abort(),
    leave: () => closeProject(project, LAST_WAIT),
  });
  // A prompt reads Ctrl-C as a key: there is no signal then.
  return isCancelled ? { ...watched, signal: "SIGINT" } : watched;
}
