/** Draws a run while it goes on: text as it arrives, a card for each call, and a spinner for what takes time. */
import type { Entry, EntryOf, RunEvent } from "../../core/log.ts";
import { runOf, withoutNested } from "../../core/log-keys.ts";
import { textOf } from "../../core/message.ts";
import { RUN_PROGRAM } from "../../modes/code/read-answer.ts";
import { ProgramView } from "./program-view.ts";
import type { Screen } from "./screen.ts";
import { Spinner } from "./spinner.ts";
import { clean, count, oneLine, wrapWith } from "./text.ts";
import { TextStream } from "./text-stream.ts";
import { type CardCall, cardPause, cardResult, cardSubject, cardTitle } from "./tool-card.ts";
import { visibleLine } from "./visible.ts";

/** Milliseconds between two drawings of text that arrives. */
const DRAW_EVERY = 40;
/** Milliseconds after which a call is announced. A quicker one comes with its result, also beside others. */
const QUICK = 1000;
const RUNNING = "Running the program";

interface ShownCall {
  name: string;
  input: unknown;
  /** Where it stands in a program. */
  line?: number | undefined;
  /** Its title was shown, or somebody was asked about it. */
  isKnown?: boolean;
  announcement?: NodeJS.Timeout;
}

export class RunView {
  readonly #screen: Screen;
  /** Somebody is asked about calls that wait, and is shown them there. */
  readonly #asks: boolean;
  readonly #text: TextStream;
  readonly #spinner: Spinner;
  readonly #calls = new Map<string, ShownCall>();
  /** The call whose title was printed last: what comes next belongs to it. */
  #titled = "";
  #drawnAt = 0;
  /** Where the model's answers are programs. */
  #programs: ProgramView | undefined;
  /** Lines of the program that the model is writing. */
  #linesWritten = 0;

  constructor(screen: Screen, asks: boolean) {
    this.#screen = screen;
    this.#asks = asks;
    this.#text = new TextStream(screen);
    this.#spinner = new Spinner(() => this.#draw());
  }

  event(event: RunEvent): void {
    if (runOf(event).includes("/")) return; // of a run inside a call: its call is shown
    this.#programs?.goOn();
    switch (event.type) {
      case "run-start":
        this.#begin(event);
        break;
      case "model-start":
        this.#linesWritten = 0;
        this.#spin(event.attempt > 1 ? `Thinking, attempt ${event.attempt}` : "Thinking");
        break;
      case "text-delta":
        this.#stream(event.text);
        break;
      case "text-reset":
        this.#resetText();
        break;
      case "tool-input-delta":
        this.#prepared(event);
        break;
      case "model-response":
        this.#answered(event);
        break;
      case "model-error":
        this.#modelFailed(event);
        break;
      case "retry":
        this.#spin(`Waiting before attempt ${event.attempt} at ${event.name}`);
        break;
      case "program-start":
        this.#programs?.started(event);
        this.#spin(RUNNING);
        break;
      case "program-end":
        this.#programs?.ended(event);
        break;
      case "tool-call":
        this.#remember(event);
        break;
      case "tool-start":
        this.#started(event);
        break;
      case "tool-output":
        this.#spin(`${event.name}: ${lastLine(event.text)}`);
        break;
      case "tool-pause":
        this.#paused(event);
        break;
      case "tool-end":
        this.#ended(event);
        break;
      case "iteration-end":
        this.#iterationEnded(event);
        break;
      case "run-end":
        this.close();
        break;
    }
  }

  /** A run that goes on does not repeat what was asked for before it stopped. */
  recall(past: readonly Entry[]): void {
    for (const entry of withoutNested(past)) {
      if (entry.type === "run-start") this.#begin(entry);
      if (entry.type === "tool-call" || entry.type === "tool-end") this.#remember(entry);
    }
    this.#programs?.recall(withoutNested(past));
  }

  #begin({ mode }: EntryOf<"run-start">): void {
    this.#programs = mode === "code" ? new ProgramView(this.#screen) : undefined;
  }

  #remember(entry: EntryOf<"tool-call"> | EntryOf<"tool-end">): void {
    if (entry.type === "tool-end") this.#calls.delete(entry.key);
    else this.#calls.set(entry.key, { name: entry.name, input: entry.input, line: entry.line });
  }

  /** Nothing moves any more. */
  close(): void {
    for (const { announcement } of this.#calls.values()) clearTimeout(announcement);
    this.#programs?.close();
    this.#spinner.stop();
  }

  #stream(delta: string): void {
    if (!this.#screen.isLive) return;
    this.#text.push(delta);
    this.#spinner.start("Writing");
    if (Date.now() - this.#drawnAt > DRAW_EVERY) this.#draw();
  }

  #resetText(): void {
    if (this.#text.reset()) this.note("The answer above broke off and does not count: the model is asked again.");
  }

  #prepared({ name, text }: { name: string; text: string }): void {
    if (!this.#programs || name !== RUN_PROGRAM) {
      this.#spin(`Preparing ${name}`);
      return;
    }
    this.#linesWritten += text.match(/\\n/g)?.length ?? 0; // as JSON writes the end of a line
    this.#spin(`Writing a program${this.#linesWritten > 0 ? `, ${count(this.#linesWritten + 1, "line")} so far` : ""}`);
  }

  #answered(response: EntryOf<"model-response">): void {
    this.#spinner.stop();
    const program = this.#programs?.answered(response);
    this.#text.end(program?.isFenced ? "" : textOf(response));
    this.#titled = "";
    if (program?.code !== undefined) this.#spin("Checking the program");
  }

  #modelFailed({ model, error, then }: EntryOf<"model-error">): void {
    if (then === "fail") return;
    const next = then === "retry" ? "It is asked again." : "The next model is asked.";
    const subject = error.message.includes(model) ? "" : `${model}: `;
    this.note(`${subject}${error.message.replace(/[.\s]+$/, "")}. ${next}`);
  }

  #started({ key, name, attempt }: EntryOf<"tool-start">): void {
    const call = this.#calls.get(key) ?? { name, input: undefined };
    if (attempt === 1 && !this.#programs?.isCounting)
      call.announcement = setTimeout(() => this.#announce(key, call), QUICK).unref();
    const subject = cardSubject(name, call.input);
    this.#spin(`${name}${subject ? ` ${subject}` : ""}${attempt > 1 ? `, attempt ${attempt}` : ""}`);
  }

  #announce(key: string, call: ShownCall): void {
    call.isKnown = true;
    this.#title(key, call);
  }

  #paused(pause: EntryOf<"tool-pause">): void {
    const call = this.#calls.get(pause.key);
    if (call) call.isKnown = true;
    if (this.#asks && pause.reason === "approval") return;
    this.#spinner.stop();
    this.#title(pause.key, { ...pause, line: call?.line }, visibleLine);
    this.#screen.print(cardPause(pause, this.#screen));
  }

  #ended(end: EntryOf<"tool-end">): void {
    const call: ShownCall = this.#calls.get(end.key) ?? { name: end.name, input: undefined };
    clearTimeout(call.announcement);
    this.#calls.delete(end.key);
    if (this.#calls.size === 0) this.#rest();
    if (this.#programs && !this.#programs.called(end, call.isKnown === true)) return;
    this.#title(end.key, call);
    this.#screen.print(`${cardResult(end, this.#screen)}\n`);
    this.#titled = "";
  }

  #iterationEnded(end: EntryOf<"iteration-end">): void {
    const { status } = end;
    this.#spinner.stop();
    for (const told of this.#programs?.iterationEnded(end) ?? []) this.note(told);
    if (status.type === "exit-rejected" || status.type === "refused") this.note(status.message);
    if (status.type === "thinking") this.note(status.reason);
  }

  note(text: string): void {
    this.#screen.print(this.#screen.colors.yellow(wrapWith(clean(text), this.#screen.width, "Note     ")));
  }

  /** No call goes on. */
  #rest(): void {
    if (this.#programs?.isRunning) this.#spin(RUNNING);
    else this.#spinner.stop();
  }

  #title(key: string, call: CardCall, asLine = oneLine): void {
    if (this.#titled === key) return;
    this.#screen.print(cardTitle(call, this.#screen, asLine));
    this.#titled = key;
  }

  #spin(label: string): void {
    if (this.#screen.isLive) this.#spinner.start(label);
  }

  #draw(): void {
    this.#drawnAt = Date.now();
    const { dim } = this.#screen.colors;
    const lines: Parameters<Screen["live"]>[0] = this.#text.tail().map((text) => ({ text }));
    const spinner = this.#spinner.line();
    if (spinner) lines.push({ text: spinner, paint: dim });
    this.#screen.live(lines);
  }
}

function lastLine(text: string): string {
  return oneLine(text.trimEnd().split("\n").at(-1) ?? "");
}
