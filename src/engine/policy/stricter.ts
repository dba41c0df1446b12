/** Two policies at once, that of a run and that of the run around it: a call is under both. */
import type { Judge, Verdict } from "./policy.ts";

export function stricter(around: Judge | undefined, own: Judge | undefined): Judge | undefined {
  return around && own ? new Both(around, own) : (around ?? own);
}

class Both implements Judge {
  readonly #around: Judge;
  readonly #own: Judge;

  constructor(around: Judge, own: Judge) {
    this.#around = around;
    this.#own = own;
  }

  /** The one around first. What it allows, the other may still deny or ask about, but not the other way round. */
  async judge(call: Parameters<Judge["judge"]>[0]): Promise<Verdict | undefined> {
    const around = await this.#around.judge(call);
    if (around?.then === "deny") return around;
    const own = await this.#own.judge(call);
    if (own?.then === "deny" || around === undefined) return own;
    return around.then === "ask" || own === undefined ? around : own;
  }
}
