/** Kills processes that run sessions of one store, at any moment, and lets others go on, until every run has ended. */
import { existsSync, readFileSync } from "node:fs";
import type { Entry } from "../../../src/core/log.ts";
import type { Decision } from "../../../src/index.ts";
import type { Random } from "../../modes/code/faults/random-program.ts";
import { type Effect, Ledger, readEffects } from "./ledger.ts";
import { type KillPlan, type Life, type Order, planKill, type Started, start } from "./life.ts";
import { APPENDS, script } from "./script.ts";
import type { Place } from "./stores.ts";
import type { Tally } from "./tally.ts";

/** More lives than this, and the run comes to no end. */
const LIVES = 60;

/** Two sessions, so that their appends meet; `kills` at most. */
export async function killAndGoOn(place: Place, number: number, random: Random, kills: number, tally: Tally) {
  const effects = `${place.folder}/effects-${number}.txt`;
  const order = { child: place.child, where: place.where, effects, script, ttlMs: 100, toolMs: 1 };
  const work = new Sessions(place, order, [`s${number}a`, `s${number}b`], tally);
  for (let round = 0, killed = 0; work.open.length > 0; round++) {
    if (round === LIVES) return tally.fault("end", `${work.open.join(", ")} came to no end`);
    const most = round === 0 ? 2 * APPENDS : APPENDS / 2;
    const life = await work.goOn(killed < kills ? planKill(random, most) : undefined);
    if (!life.wasKilled) continue;
    killed++;
    tally.kills++;
    if (round > 0) tally.killedAgain++;
  }
}

/** Sessions that processes work on, one process at a time. */
export class Sessions {
  readonly #place: Place;
  readonly #order: Omit<Order, "sessions">;
  readonly #ledgers: Ledger[];
  readonly #decisions = new Map<string, { callId: string; decision: Decision }[]>();
  readonly #tally: Tally;

  constructor(place: Place, order: Omit<Order, "sessions">, sessions: string[], tally: Tally) {
    this.#place = place;
    this.#order = order;
    this.#ledgers = sessions.map((session) => new Ledger(session, tally));
    this.#tally = tally;
  }

  /** Those whose run has not ended. */
  get open(): string[] {
    return this.#ledgers.map(({ session }) => session);
  }

  get order(): Order {
    const sessions = this.open.map((session) => ({ session, decide: this.#decisions.get(session) ?? [] }));
    return { ...this.#order, sessions };
  }

  /** One process more. */
  start(plan?: KillPlan, watch?: (line: string) => void): Started {
    return start(this.order, plan, watch);
  }

  /** One process more, and then everything is looked at. */
  async goOn(plan?: KillPlan): Promise<Life> {
    const life = await this.start(plan).ended;
    await this.look(life);
    return life;
  }

  /** Compares the store and the world with what this process was promised. */
  async look(life: Life): Promise<void> {
    const done = this.effects();
    for (const ledger of [...this.#ledgers]) {
      const { session } = ledger;
      const entries = await this.#place.read(session);
      const own = done.filter((effect) => effect.session === session);
      ledger.check(life, entries, own);
      this.#decisions.set(session, ledger.decide(life, entries, own));
      const report = life.reports.get(session);
      if (report?.status === "error" && !this.#place.mayFail)
        this.#tally.fault("error", `${session}: ${report.code} ${report.message}`);
      if (hasEnded(entries)) await this.#close(ledger, entries, own);
    }
  }

  effects(): Effect[] {
    const { effects } = this.#order;
    return existsSync(effects) ? readEffects(readFileSync(effects, "utf8")) : [];
  }

  async #close(ledger: Ledger, entries: readonly Entry[], effects: readonly Effect[]): Promise<void> {
    this.#ledgers.splice(this.#ledgers.indexOf(ledger), 1);
    await ledger.close(entries, effects);
  }
}

function hasEnded(entries: readonly Entry[]): boolean {
  return entries.at(-1)?.type === "run-end";
}
