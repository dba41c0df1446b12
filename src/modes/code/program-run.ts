/** Drives one program: starts it, makes the calls that it asks for, tells it what settled, and sees it to its end. */
import type { CallResult, Hands, PastProgram, PastSettlement } from "../../core/mode.ts";
import type { AskedCall } from "../../core/model.ts";
import type {
  Print,
  ProgramCall,
  ProgramDone,
  ProgramError,
  ProgramInput,
  ProgramSession,
  Settlement,
  Turn,
} from "../../core/program.ts";
import { Inbox } from "./inbox.ts";
import type { Offer } from "./offer.ts";
import { ProgramTimers } from "./program-timers.ts";
import { callMissing } from "./replay-errors.ts";
import { pastSettlement, settlementOf } from "./settlement.ts";
import { Telling } from "./telling.ts";

/** A call that the program has made. */
export interface MadeCall {
  readonly asked: AskedCall;
  /** Once it is made in this process. */
  answer: Promise<CallResult> | undefined;
  result: CallResult | undefined;
}

export class ProgramRun {
  /** By number. */
  readonly calls = new Map<number, MadeCall>();
  prints: Print[] = [];
  /** Those that went on when the program ended. */
  readonly abandoned: AskedCall[] = [];
  unhandled: readonly ProgramError[] = [];
  bindings: Turn["bindings"];
  readonly #hands: Hands;
  readonly #offer: Offer;
  /** Of the model's call that holds the program. */
  readonly #id: string;
  readonly #inbox = new Inbox();
  readonly #timers: ProgramTimers;
  /** Made by the program, and not yet by us. */
  #waiting: MadeCall[] = [];
  /** The calls whose result the program has learned. */
  #told = new Set<number>();
  #timersTold = 0;
  #past: PastProgram | undefined;
  /** Calls that go on, and timers that have fired and are not in the log so far. */
  #open = 0;

  constructor(
    hands: Hands,
    offer: Offer,
    id: string,
    readonly code: string,
  ) {
    this.#hands = hands;
    this.#offer = offer;
    this.#id = id;
    const tell = (timer: number, { at, seq }: { at: number; seq: number }) => {
      this.#open--;
      this.#inbox.add({ seq, settlement: { at, timer } }, this.#open === 0);
    };
    this.#timers = new ProgramTimers((timer) => {
      this.#open++;
      hands.program.fired(timer).then(
        (fired) => tell(timer, fired),
        () => {}, // the store has failed, and the run with it
      );
    });
  }

  /** From the beginning, or from where the log leaves off; again, where the VM was lost. */
  async run(session: ProgramSession, input: ProgramInput, past: PastProgram | undefined): Promise<ProgramDone> {
    this.prints = [];
    this.#told = new Set();
    this.#timersTold = 0;
    this.#waiting = [];
    this.#past = past;
    const telling = new Telling(session, this.#offer, (turn) => this.#take(turn));
    let done = await telling.start({ ...input, isReplay: past !== undefined });
    if (past) done = await this.#recall(telling, past, done);
    while (!done) {
      this.#goOn();
      done = await this.#settle(telling, await this.#inbox.next());
    }
    return done;
  }

  /** After its end: the calls that it did not wait for are aborted. */
  finish(): void {
    this.stop();
    this.#leaveOpen([...this.calls.values()].filter(({ asked, result }) => !result && !this.#told.has(asked.number!)));
  }

  /** Not what has ended by now, though its result is still on its way. */
  #leaveOpen(calls: readonly MadeCall[]): void {
    if (calls.length === 0) return;
    const ended = new Set(callsOf(this.#settledInLog));
    for (const { asked } of calls) {
      if (ended.has(asked.number!)) continue;
      this.abandoned.push(asked);
      this.#hands.program.abandon(asked);
    }
  }

  get #settledInLog(): readonly PastSettlement[] {
    return this.#hands.program.past().current?.settled ?? [];
  }

  /** It has learned what a replay of the log would tell it, and nothing else. */
  get isAsLogged(): boolean {
    const settled = this.#settledInLog;
    const calls = callsOf(settled);
    const timers = settled.length - calls.length;
    return calls.length === this.#told.size && timers === this.#timersTold && calls.every((id) => this.#told.has(id));
  }

  /** Nothing reaches the program any more. */
  stop(): void {
    this.#inbox.close();
    this.#timers.close();
  }

  /** What the log tells is told again. A call that waits for somebody's decision holds what came after it. */
  async #recall(
    telling: Telling,
    past: PastProgram,
    started: ProgramDone | undefined,
  ): Promise<ProgramDone | undefined> {
    const settled = past.settled.map(pastSettlement);
    this.#inbox.drop(settled);
    const isThinking = past.thinking !== undefined && !past.end;
    const before = settled.splice(0, isThinking ? settled.length : (past.heldAt ?? settled.length));
    let done = started ?? (await this.#settle(telling, before, true));
    if (isThinking && done?.type !== "lost") return this.#thinkAgain(past.thinking!, past);
    if (past.heldAt !== undefined && !done) {
      await this.#held(past);
      done = await this.#settle(telling, settled, true);
    }
    if (done?.type === "lost" || done?.type === "aborted") return done;
    const missing = [...past.calls.keys()].find((number) => !this.calls.has(number));
    if (missing !== undefined) throw callMissing(missing);
    return done;
  }

  /** Recalled, it stops the iteration as it did before. */
  #thinkAgain(number: number, past: PastProgram): Promise<never> {
    const call = this.calls.get(number);
    if (!call) throw callMissing(number);
    for (const [other, { asked, answer }] of this.calls) {
      if (!answer && past.calls.get(other)?.hasEnded === false) this.#hands.program.abandon(asked); // nobody asks about it any more
    }
    void this.#invoke(call);
    return new Promise(() => {});
  }

  /** Until all that somebody is asked about have their answer. Without one the run stops, and this never comes back. */
  async #held(past: PastProgram): Promise<void> {
    const open = [...this.calls].filter(([number]) => !past.calls.get(number)?.hasEnded);
    const answers = open.map(([number, call]) => ({ number, answer: this.#invoke(call) }));
    await Promise.all(answers.filter(({ number }) => past.calls.get(number)?.isHeld).map(({ answer }) => answer));
  }

  /** Calls that the log has no end of are made; timers run. */
  #goOn(): void {
    for (const call of this.#waiting.splice(0)) if (!this.#told.has(call.asked.number!)) void this.#invoke(call);
    this.#timers.start();
  }

  #invoke(call: MadeCall): Promise<CallResult> {
    if (call.answer) return call.answer;
    this.#open++;
    call.answer = this.#hands.invoke(call.asked).then((result) => {
      this.#open--;
      call.result = result;
      const id = call.asked.number!;
      if (!this.#told.has(id))
        this.#inbox.add({ seq: result.seq, settlement: settlementOf(id, result) }, this.#open === 0);
      return result;
    });
    return call.answer;
  }

  #settle(telling: Telling, settlements: readonly Settlement[], isReplay = false): Promise<ProgramDone | undefined> {
    for (const settlement of settlements) {
      if ("timer" in settlement) {
        this.#timersTold++;
        this.#timers.settle(settlement.timer);
      } else this.#told.add(settlement.id);
    }
    return telling.settle(settlements, isReplay);
  }

  #take(turn: Turn): void {
    for (const call of turn.calls) this.#waiting.push(this.calls.get(call.id) ?? this.#note(call));
    for (const { id, delayMs } of turn.timers) this.#timers.add(id, delayMs);
    this.prints.push(...turn.prints);
    if (turn.unhandled) this.unhandled = turn.unhandled;
    this.bindings = turn.bindings ?? this.bindings;
  }

  #note({ id: number, name, input, line }: ProgramCall): MadeCall {
    const asked: AskedCall = { id: `${this.#id}.${number}`, ...this.#offer.asked(name, input)!, number, line };
    this.#past?.calls.get(number)?.assertSame(asked);
    const call: MadeCall = { asked, answer: undefined, result: undefined };
    this.calls.set(number, call);
    return call;
  }
}

function callsOf(settled: readonly PastSettlement[]): number[] {
  return settled.flatMap((past) => ("call" in past ? [past.call] : []));
}
