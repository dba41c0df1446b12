/** Draws a run while it goes on: text as it arrives, a card for each call, and a spinner for what takes time. */
import type { Entry, EntryOf, RunEvent } from "../../core/log.ts";
import { textOf } from "../../core/message.ts";
import type { Screen } from "./screen.ts";
import { Spinner } from "./spinner.ts";
import { clean, oneLine, wrapWith } from "./text.ts";
import { TextStream } from "./text-stream.ts";
import { cardPause, cardResult, cardSubject, cardTitle } from "./tool-card.ts";
import { visibleLine } from "./visible.ts";

/** Milliseconds between two drawings of text that arrives. */
const DRAW_EVERY = 40;
/** Milliseconds after which a call is announced. A quicker one comes with its result, also beside others. */
const QUICK = 1000;

interface ShownCall {
  name: string;
  input: unknown;
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

  constructor(screen: Screen, asks: boolean) {
    this.#screen = screen;
    this.#asks = asks;
    this.#text = new TextStream(screen);
    this.#spinner = new Spinner(() => this.#draw());
  }

  event(event: RunEvent): void {
    switch (event.type) {
      case "model-start":
        this.#spin(event.attempt > 1 ? `Thinking, attempt ${event.attempt}` : "Thinking");
        break;
      case "text-delta":
        this.#stream(event.text);
        break;
      case "text-reset":
        this.#resetText();
        break;
      case "tool-input-delta":
        this.#spin(`Preparing ${event.name}`);
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
    for (const entry of past) if (entry.type === "tool-call" || entry.type === "tool-end") this.#remember(entry);
  }

  #remember(entry: EntryOf<"tool-call"> | EntryOf<"tool-end">): void {
    if (entry.type === "tool-end") this.#calls.delete(entry.key);
    else this.#calls.set(entry.key, { name: entry.name, input: entry.input });
  }

  /** Nothing moves any more. */
  close(): void {
    for (const { announcement } of this.#calls.values()) clearTimeout(announcement);
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

  #answered(response: EntryOf<"model-response">): void {
    this.#spinner.stop();
    this.#text.end(textOf(response));
    this.#titled = "";
  }

  #modelFailed({ model, error, then }: EntryOf<"model-error">): void {
    if (then === "fail") return;
    const next = then === "retry" ? "It is asked again." : "The next model is asked.";
    const subject = error.message.includes(model) ? "" : `${model}: `;
    this.note(`${subject}${error.message.replace(/[.\s]+$/, "")}. ${next}`);
  }

  #started({ key, name, attempt }: EntryOf<"tool-start">): void {
    const call = this.#calls.get(key) ?? { name, input: undefined };
    if (attempt === 1) call.announcement = setTimeout(() => this.#title(key, call), QUICK).unref();
    const subject = cardSubject(name, call.input);
    this.#spin(`${name}${subject ? ` ${subject}` : ""}${attempt > 1 ? `, attempt ${attempt}` : ""}`);
  }

  #paused(pause: EntryOf<"tool-pause">): void {
    if (this.#asks && pause.reason === "approval") return;
    this.#spinner.stop();
    this.#title(pause.key, pause, visibleLine);
    this.#screen.print(cardPause(pause, this.#screen));
  }

  #ended(end: EntryOf<"tool-end">): void {
    const call = this.#calls.get(end.key) ?? { name: end.name, input: undefined };
    clearTimeout(call.announcement);
    this.#calls.delete(end.key);
    if (this.#calls.size === 0) this.#spinner.stop();
    this.#title(end.key, call);
    this.#screen.print(`${cardResult(end, this.#screen)}\n`);
    this.#titled = "";
  }

  #iterationEnded({ status }: EntryOf<"iteration-end">): void {
    if (status.type === "exit-rejected" || status.type === "refused") this.note(status.message);
    if (status.type === "thinking") this.note(status.reason);
  }

  note(text: string): void {
    this.#screen.print(this.#screen.colors.yellow(wrapWith(clean(text), this.#screen.width, "Note     ")));
  }

  #title(key: string, { name, input }: { name: string; input: unknown }, asLine = oneLine): void {
    if (this.#titled === key) return;
    this.#screen.print(cardTitle(name, input, this.#screen, asLine));
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
