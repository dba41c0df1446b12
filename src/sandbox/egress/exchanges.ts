/** All that goes through one door: it judges each request, and writes down how it ended. */

import type { EgressAudit, EgressPolicy, EgressVerdict } from "../../core/egress.ts";
import { auditOf, newTraffic, type Traffic } from "./audit.ts";
import type { DoorLimits } from "./door.ts";
import type { Target } from "./proxy-request.ts";

/** What a command is told of; the audit gets all. */
const MAX_DENIED = 1000;

export class Exchanges {
  readonly denied: EgressAudit[] = [];
  readonly limits: DoorLimits;
  readonly #policy: EgressPolicy;
  readonly #of: { sandbox: string; exec: string };
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<void>>();

  constructor(policy: EgressPolicy, of: { sandbox: string; exec: string }, limits: DoorLimits) {
    this.#policy = policy;
    this.#of = of;
    this.limits = limits;
  }

  get isStopped(): boolean {
    return this.#closing.signal.aborted;
  }

  stop(): void {
    this.#closing.abort();
  }

  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** Keeps count of what runs: a connection that left may still wait for a decision. False when there is no room. */
  run(exchange: () => Promise<void>): boolean {
    if (this.isStopped || this.#running.size >= this.limits.connections) return false;
    const running = exchange().catch(() => {}); // each answers for itself; none may take the program with it
    this.#running.add(running);
    running.then(() => this.#running.delete(running));
    return true;
  }

  /** `gone` is aborted when nobody waits for the answer any more. */
  async judge(target: Target, traffic: Traffic, gone: AbortSignal): Promise<EgressVerdict> {
    const abortSignal = AbortSignal.any([this.#closing.signal, gone]);
    const verdict = await this.#policy.evaluate({ ...target, ...this.#of }, { abortSignal });
    if (!verdict.allow) this.#keep(auditOf({ ...target, ...this.#of }, verdict, traffic));
    return verdict;
  }

  /** An allowed request has ended; `failure` says why, where it did not end well. */
  done(target: Target, verdict: EgressVerdict, traffic: Traffic, failure?: string): void {
    const reason = failure ? `${verdict.reason}; ${failure}` : verdict.reason;
    this.#policy.audit?.(auditOf({ ...target, ...this.#of }, { ...verdict, reason }, traffic));
  }

  /** Something that is no request, or names no host. */
  unreadable(reason: string, isTunnel = false): void {
    const entry = auditOf({ host: "", port: 0, isTunnel, ...this.#of }, { allow: false, reason }, newTraffic());
    this.#policy.audit?.(entry);
    this.#keep(entry);
  }

  #keep(entry: EgressAudit): void {
    if (this.denied.length < MAX_DENIED) this.denied.push(entry);
  }
}
