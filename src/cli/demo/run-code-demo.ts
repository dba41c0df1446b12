/** Runs the demo of programs: one is begun in a process that is killed, and goes on in another at the same `await`. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { newId } from "../../base/ids.ts";
import type { Entry } from "../../core/log.ts";
import type { ExecuteResult } from "../../core/result.ts";
import { pendingCalls } from "../../core/snapshot.ts";
import { execute } from "../../index.ts";
import { decide, type HeldSession, type Project, withSession } from "../../project/index.ts";
import { closeProject } from "../close-project.ts";
import { exitCodeOfResult, exitCodes } from "../exit-codes.ts";
import { renderError } from "../render/error.ts";
import { printHeader } from "../render/header.ts";
import { RunView } from "../render/run-view.ts";
import type { Screen } from "../render/screen.ts";
import { bytes, count, wrapWith } from "../render/text.ts";
import { type Reporter, screenReporter } from "../reporter.ts";
import { shortId } from "../resume.ts";
import { onStopSignal, type StopSignal, signalExitCodes } from "../signals.ts";
import { watchRun } from "../watch-run.ts";
import { closing, REPAIR_FILE } from "./code-script.ts";
import { demoFailure, inDemoFolder, testsPass } from "./demo-folder.ts";
import { FirstProcess } from "./first-process.ts";
import { openCodeProject } from "./open-code-project.ts";
import type { DemoFiles } from "./project.ts";

const INTRO =
  "Nothing leaves this machine. The model is a script, so its words and its program were written beforehand; the " +
  "engine, the virtual machine of the program, the tools, the two processes and the kill are real.";

const PROMPT = "The price of a cart is wrong. Find out why, and repair it.";

/** Milliseconds of thinking, where somebody watches. */
const PACE = 400;
/** Milliseconds to read what happens between the processes. */
const READING = 2500;

/** Gives the exit code. Fails when anything is not as it is shown. */
export function runCodeDemo(files: DemoFiles, screen: Screen): Promise<number> {
  return inDemoFolder(files, async (folder) => {
    const project = await openCodeProject(folder, [closing], screen.isLive ? PACE : 0);
    const demo = new CodeDemo(project, screen);
    try {
      return await demo.play();
    } finally {
      await demo.close();
      await closeProject(project);
    }
  });
}

class CodeDemo {
  readonly #project: Project;
  readonly #screen: Screen;
  readonly #session = newId("session");
  readonly #stop = new AbortController();
  readonly #ignoreSignals: () => void;
  #signal: StopSignal | undefined;
  #first: FirstProcess | undefined;

  constructor(project: Project, screen: Screen) {
    this.#project = project;
    this.#screen = screen;
    this.#ignoreSignals = onStopSignal((signal) => {
      this.#signal ??= signal;
      this.#stop.abort();
      void this.#first?.kill();
    });
  }

  async play(): Promise<number> {
    const screen = this.#screen;
    this.#say("Demo", INTRO);
    screen.print();
    printHeader(screen, this.#project);
    if (await testsPass(this.#project)) return this.#failed("the tests passed before the repair");
    const waits = await this.#begin();
    if (this.#signal) return signalExitCodes[this.#signal];
    if (!waits) return this.#failed("the program did not come to its question");
    const before = await this.#kill();
    if (this.#signal) return signalExitCodes[this.#signal];
    if (!before) return this.#failed("the first process was not ended by the signal");
    const result = await this.#goOn(before);
    if (this.#signal) return signalExitCodes[this.#signal];
    if (result.status === "error") {
      screen.print(renderError(result.error, screen.width, screen.colors));
      return exitCodeOfResult(result);
    }
    return this.#prove(before);
  }

  async close(): Promise<void> {
    this.#ignoreSignals();
    await this.#first?.kill();
  }

  /** True when its program waits for somebody's yes. */
  async #begin(): Promise<boolean> {
    const screen = this.#screen;
    const { cwd: folder } = this.#project.settings;
    const paceMs = screen.isLive ? PACE : 0;
    const first = new FirstProcess({ folder, session: this.#session, prompt: PROMPT, paceMs });
    this.#first = first;
    this.#say("Process", `${first.pid} begins: the model writes one program, and it runs there.`);
    screen.print(`\n> ${PROMPT}\n`);
    const view = new RunView(screen, false);
    const waits = await first.untilItWaits((event) => view.event(event));
    view.close();
    screen.print();
    return waits;
  }

  /** Gives what the log has then; undefined when it was not the signal that ended the process. */
  async #kill(): Promise<Entry[] | undefined> {
    const { pid } = this.#first!;
    this.#say("Process", `${pid} waits for a yes to that edit, in the middle of its program.`);
    await this.#read();
    if (this.#signal) return undefined;
    const signal = await this.#first!.kill();
    this.#say("Kill", `kill -9 ${pid}: ended by ${signal}. The program and all of its variables were in that process.`);
    const entries = await this.#project.store.read(this.#session);
    const size = Buffer.byteLength(JSON.stringify(entries));
    this.#say(
      "Log",
      `What is left is the session's log: ${count(entries.length, "entry", "entries")}, ${bytes(size)}.`,
    );
    await this.#read();
    return signal === "SIGKILL" ? entries : undefined;
  }

  /** The first process had the session, and did not give it back: it is taken from one that is gone. */
  #goOn(before: readonly Entry[]): Promise<ExecuteResult> {
    return withSession(this.#project.store, this.#session, (held) => this.#goOnHeld(before, held));
  }

  async #goOnHeld(before: readonly Entry[], { epoch }: HeldSession): Promise<ExecuteResult> {
    const screen = this.#screen;
    const { options, store } = this.#project;
    const session = this.#session;
    const [waiting] = pendingCalls(before);
    if (!waiting) throw demoFailure("no call waits in the log");
    await decide(store, session, { callId: waiting.callId, decision: { approve: true }, epoch });
    const like = `haft run --session … --approve ${shortId(waiting.callId)}`;
    const text = `${process.pid} writes a yes into the log, as ${like} does, and goes on at the same await.`;
    this.#say("Process", text);
    screen.print();
    const reporter = this.#reporter(before);
    const run = execute({ ...options, session, epoch });
    const stoppers = { stop() {}, leave: () => closeProject(this.#project) };
    const { result, durationMs } = await watchRun(run, reporter, stoppers);
    reporter.end(result, { durationMs });
    return result;
  }

  /** The header was printed already. */
  #reporter(past: readonly Entry[]): Reporter {
    const view = new RunView(this.#screen, false);
    view.recall(past);
    const reporter = screenReporter(this.#screen, false);
    return { ...reporter, event: (event) => view.event(event), note: (text) => view.note(text) };
  }

  /** From the log and the folder, not from what the script says. */
  async #prove(before: readonly Entry[]): Promise<number> {
    const { store, settings } = this.#project;
    const all = await store.read(this.#session);
    const [first, second] = [startsOf(before), startsOf(all.slice(before.length))];
    const keys = [...first, ...second].map(({ key }) => key);
    if (first.length === 0 || new Set(keys).size !== keys.length) return this.#failed("a call was made twice");
    const drawn = /\w{8}/.exec(await readFile(join(settings.cwd, REPAIR_FILE), "utf8"))?.[0] ?? "none";
    if (!JSON.stringify(all.filter(({ type }) => type === "iteration-end")).includes(drawn)) {
      return this.#failed("the program had lost its variables");
    }
    if (!(await testsPass(this.#project))) return this.#failed("the tests fail");
    const screen = this.#screen;
    screen.print();
    this.#say("Once", `Process ${this.#first!.pid} made ${callsOf(first)}. None of them was made again.`);
    this.#say("", `Process ${process.pid} made ${callsOf(second)}.`);
    this.#say("Kept", `${drawn} was drawn at random in the first process, and returned by the second.`);
    this.#say("Next", 'Your own project: haft run --mode code "what does this do?"');
    return exitCodes.success;
  }

  #failed(problem: string): number {
    const { width, colors } = this.#screen;
    this.#screen.print(renderError(demoFailure(problem), width, colors));
    return exitCodes.failed;
  }

  #say(label: string, text: string): void {
    const { width, colors } = this.#screen;
    this.#screen.print(colors.bold(label) + wrapWith(text, width, label.padEnd(9)).slice(label.length));
  }

  async #read(): Promise<void> {
    if (this.#screen.isLive) await sleep(READING, undefined, { signal: this.#stop.signal }).catch(() => {});
  }
}

interface Start {
  key: string;
  name: string;
}

function startsOf(entries: readonly Entry[]): Start[] {
  return entries.flatMap((entry) => (entry.type === "tool-start" ? [{ key: entry.key, name: entry.name }] : []));
}

/** They are numbered in the order in which the program made them. */
function callsOf(starts: readonly Start[]): string {
  const numbers = starts.map(({ key }) => Number(key.split("/").at(-1)));
  return `calls ${Math.min(...numbers)} to ${Math.max(...numbers)} (${starts.map(({ name }) => name).join(", ")})`;
}
