/** Tells a program what settled, turn after turn, and answers at once what is nobody's call. */
import type { ProgramDone, ProgramInput, ProgramSession, Settlement, Turn } from "../../core/program.ts";
import type { Offer } from "./offer.ts";

/** A replay's results, and the inputs of the calls that follow from them, may be large: they are not all sent at once. */
const MAX_AT_ONCE = 16;

export class Telling {
  readonly #session: ProgramSession;
  readonly #offer: Offer;
  /** Takes in each turn, without what is answered here. */
  readonly #take: (turn: Turn) => void;
  #asides: Settlement[] = [];
  #now = 0;

  constructor(session: ProgramSession, offer: Offer, take: (turn: Turn) => void) {
    this.#session = session;
    this.#offer = offer;
    this.#take = take;
  }

  async start(input: ProgramInput): Promise<ProgramDone | undefined> {
    this.#now = input.now;
    return this.#follow(await this.#session.start(input), input.isReplay ?? false);
  }

  async settle(settlements: readonly Settlement[], isReplay: boolean): Promise<ProgramDone | undefined> {
    const size = this.#offer.declarations.isShort ? 1 : MAX_AT_ONCE; // asides come in between, always at the same place
    for (let from = 0; from < settlements.length; from += size) {
      const batch = settlements.slice(from, from + size);
      this.#now = batch.at(-1)!.at;
      const done = await this.#follow(await this.#session.settle(batch, { isReplay }), isReplay);
      if (done) return done;
    }
    return undefined;
  }

  async #follow(first: Turn, isReplay: boolean): Promise<ProgramDone | undefined> {
    let turn = this.#part(first);
    while (!turn.done && this.#asides.length > 0) {
      turn = this.#part(await this.#session.settle(this.#asides.splice(0), { isReplay }));
    }
    return turn.done;
  }

  #part(turn: Turn): Turn {
    const calls = turn.calls.filter(({ id, name, input }) => {
      const aside = this.#offer.aside(name);
      if (aside) this.#asides.push({ id, at: this.#now, ok: true, output: aside(input) });
      return !aside;
    });
    this.#take(calls.length === turn.calls.length ? turn : { ...turn, calls });
    return turn;
  }
}
