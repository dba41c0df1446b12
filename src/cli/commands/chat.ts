/** `haft chat`: turn after turn in one session. */

import { HaftError } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import type { ExecuteResult } from "../../core/result.ts";
import { openProject, type Project, readSettings, type SettingFlags, withSession } from "../../project/index.ts";
import { askForModel } from "../ask/model.ts";
import { CTRL_C, GONE } from "../ask/prompt.ts";
import { SessionAnswers } from "../ask/session-answers.ts";
import { chatInput, type Said } from "../chat-input.ts";
import { closeProject } from "../close-project.ts";
import { endingText, wasStopped } from "../ending.ts";
import { exitCodeOfResult, exitCodes } from "../exit-codes.ts";
import { namedSession } from "../find-session.ts";
import { checkApplyFlag, finishChanges } from "../finish-changes.ts";
import { renderChange } from "../render/diff.ts";
import { renderError } from "../render/error.ts";
import { Screen } from "../render/screen.ts";
import { wrapWith } from "../render/text.ts";
import { type Reporter, screenReporter } from "../reporter.ts";
import { shownChanges } from "../shown-changes.ts";
import { onStopSignal, type StopSignal, signalExitCodes } from "../signals.ts";
import { takeTurn } from "../take-turn.ts";

export interface ChatFlags extends SettingFlags {
  session?: string;
  apply?: boolean;
}

const HELP = "/diff shows what is held back, /exit leaves. Ctrl-C stops a turn, twice leaves.";

export async function chatCommand(words: readonly string[], flags: ChatFlags): Promise<number> {
  const screen = new Screen();
  const isTerminal = screen.isLive && process.stdin.isTTY === true;
  const reporter = screenReporter(screen, isTerminal);
  const settings = await readSettings(flags);
  const model = settings.model ?? (await askForModel(settings.env, isTerminal));
  if (model === undefined) return exitCodes.interrupted;

  const project = await openProject(settings, model);
  try {
    checkApplyFlag(project, flags.apply);
    const session = flags.session === undefined ? newId("session") : await namedSession(project.store, flags.session);
    reporter.begin(project, await project.store.read(session));
    if (isTerminal) screen.print(screen.colors.dim(wrapWith(HELP, screen.width, "")));
    const repeatable = settings.model === undefined ? { ...flags, model: String(model) } : flags;
    const chat = new Chat(project, session, repeatable, screen, reporter);
    const code = await chat.goOn(words.join(" ").trim(), isTerminal);
    const ending = { succeeded: code === exitCodes.success, asks: code !== exitCodes.hangup };
    await finishChanges(project, reporter, { apply: flags.apply, session, result: chat.last, ...ending });
    screen.print(screen.colors.dim(`To go on: haft chat --session ${session}`));
    return code;
  } finally {
    await closeProject(project);
  }
}

class Chat {
  /** The last turn's. */
  last: ExecuteResult | undefined;
  readonly #project: Project;
  readonly #session: string;
  readonly #flags: ChatFlags;
  readonly #screen: Screen;
  readonly #reporter: Reporter;
  readonly #answers = new SessionAnswers();
  /** What came after the end of a turn, and before the next prompt. */
  #stopped: StopSignal | undefined;

  constructor(project: Project, session: string, flags: ChatFlags, screen: Screen, reporter: Reporter) {
    this.#project = project;
    this.#session = session;
    this.#flags = flags;
    this.#screen = screen;
    this.#reporter = reporter;
  }

  /** Until somebody leaves. Gives the exit code: at a terminal that of leaving, else that of the last turn. */
  async goOn(first: string, isTerminal: boolean): Promise<number> {
    const listen = chatInput(this.#screen, isTerminal);
    let code: number = exitCodes.success;
    /** One Ctrl-C was pressed, and nothing was said since. */
    let isLeaving = false;
    let next: string | undefined = first || undefined;
    while (true) {
      const said: Said = next ?? (await listen());
      next = undefined;
      if (said === undefined || said === "/exit" || said === "/quit") return isTerminal ? exitCodes.success : code;
      if (said === GONE) return exitCodes.hangup;
      if (said === CTRL_C) {
        if (isLeaving) return exitCodes.interrupted;
        isLeaving = true;
        this.#screen.print(this.#screen.colors.dim("Ctrl-C again leaves."));
        continue;
      }
      isLeaving = false;
      if (said.trim() === "") continue;
      if (/^\/[a-z]+$/.test(said)) {
        await this.#command(said);
        continue;
      }
      code = await this.#turn(said);
      if (this.#stopped) return signalExitCodes[this.#stopped];
      isLeaving = code === exitCodes.interrupted;
    }
  }

  async #turn(prompt: string): Promise<number> {
    const session = this.#session;
    const turn = { session, prompt, reporter: this.#reporter, answers: this.#answers };
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    const ignore = onStopSignal((name) => {
      if (isOver) this.#stopped = name; // while it runs, it is stopped itself
    });
    const watched = await withSession(this.#project.store, session, (held) =>
      takeTurn(this.#project, { ...turn, held }).finally(over),
    )
      .catch((thrown) => this.#busy(thrown))
      .finally(ignore);
    if (!watched) return exitCodes.failed;
    const { result, durationMs, signal } = watched;
    this.last = result;
    this.#reporter.end(result, { durationMs });
    const facts = { session, flags: this.#flags, signal, screen: this.#screen };
    const ending = wasStopped(result, signal) ? undefined : endingText(result, facts);
    if (ending) this.#screen.print(ending);
    this.#screen.print();
    return wasStopped(result, signal) ? exitCodes.interrupted : exitCodeOfResult(result);
  }

  /** Another process has the session: the same may be said again later. */
  #busy(thrown: unknown): undefined {
    if (!HaftError.is(thrown, "SESSION_BUSY")) throw thrown;
    this.#screen.print(`${renderError(thrown, this.#screen.width, this.#screen.colors)}\n`);
  }

  async #command(name: string): Promise<void> {
    if (name !== "/diff") {
      const unknown = name === "/help" ? "" : `There is no ${name}. `;
      return this.#screen.print(wrapWith(`${unknown}${HELP}`, this.#screen.width, ""));
    }
    const { sandbox } = this.#project;
    const files = (await sandbox.diff?.())?.files ?? [];
    if (files.length === 0) {
      const why = sandbox.diff
        ? "Nothing is held back."
        : `Nothing is held back: the ${sandbox.kind} sandbox writes at once.`;
      this.#screen.print(why);
    }
    for (const file of shownChanges(files, this.last)) this.#screen.print(renderChange(file, this.#screen.colors));
  }
}
