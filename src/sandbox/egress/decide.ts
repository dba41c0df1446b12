/** Asks somebody, or something, about a request that no rule names. Whatever is not a plain yes is a no. */

import { messageOf } from "../../base/errors.ts";
import type { EgressRequest, EgressVerdict } from "../../core/egress.ts";

export interface EgressDecision {
  /** Only `true` allows. */
  allow: boolean;
  /** A sentence for the model and the audit. */
  reason?: string;
  /** `session`: the answer holds for every request of this sandbox to this host and port. Default: once. */
  remember?: "once" | "session";
}

type Awaitable<T> = T | PromiseLike<T>;

/** A function; or a Tool, an agent or any object whose `execute` gives a decision, or a result that has one as `output`. */
export type EgressDecide =
  | ((request: EgressRequest, options: { abortSignal: AbortSignal }) => Awaitable<EgressDecision>)
  | { execute(request: any, options?: any): unknown };

/** Answers that are kept; the oldest goes first. */
const MAX_REMEMBERED = 1000;
const MAX_REASON = 300;

export class Asker {
  readonly #decide: EgressDecide;
  readonly #timeoutMs: number;
  readonly #remembered = new Map<string, EgressVerdict>();

  constructor(decide: EgressDecide, timeoutMs: number) {
    this.#decide = decide;
    this.#timeoutMs = timeoutMs;
  }

  async ask(request: EgressRequest, abortSignal?: AbortSignal): Promise<EgressVerdict> {
    const key = JSON.stringify([request.sandbox, request.host, request.port, request.isTunnel]);
    const known = this.#remembered.get(key);
    if (known) return known;
    const { verdict, isKept } = await this.#askNow(request, abortSignal);
    if (isKept) {
      this.#remembered.set(key, verdict);
      if (this.#remembered.size > MAX_REMEMBERED) this.#remembered.delete(this.#remembered.keys().next().value!);
    }
    return verdict;
  }

  async #askNow(request: EgressRequest, outer?: AbortSignal): Promise<{ verdict: EgressVerdict; isKept: boolean }> {
    const limit = AbortSignal.timeout(this.#timeoutMs);
    const abortSignal = outer ? AbortSignal.any([outer, limit]) : limit;
    try {
      abortSignal.throwIfAborted();
      const answer = await settledFirst(this.#call(request, abortSignal), abortSignal);
      return verdictOf(answer);
    } catch (thrown) {
      if (limit.aborted) return denied(`nobody decided within ${this.#timeoutMs} ms`);
      if (abortSignal.aborted) return denied("the command ended before it was decided");
      return denied(`the decision failed: ${oneLine(messageOf(thrown))}`);
    }
  }

  async #call(request: EgressRequest, abortSignal: AbortSignal): Promise<unknown> {
    const own = { ...request };
    if (typeof this.#decide === "function") return this.#decide(own, { abortSignal });
    return this.#decide.execute(own, { abortSignal });
  }
}

/** What comes after the signal is not heard, and its failure is nobody's. */
function settledFirst<T>(promise: Promise<T>, abortSignal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(abortSignal.reason);
    abortSignal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(() => abortSignal.removeEventListener("abort", stop));
  });
}

function verdictOf(answer: unknown): { verdict: EgressVerdict; isKept: boolean } {
  const given = (answer ?? {}) as { status?: unknown; output?: unknown };
  const decision = (given.status === "success" ? given.output : given) as Partial<EgressDecision> | null | undefined;
  const allow = decision?.allow === true;
  const said = typeof decision?.reason === "string" ? oneLine(decision.reason) : "";
  const reason = said || (allow ? "it was allowed when asked" : "it was not allowed when asked");
  return { verdict: { allow, reason, rule: "decide" }, isKept: decision?.remember === "session" };
}

function denied(reason: string): { verdict: EgressVerdict; isKept: boolean } {
  return { verdict: { allow: false, reason, rule: "decide" }, isKept: false };
}

export function oneLine(text: string): string {
  const line = text.replace(/[\0-\x1f\x7f-\x9f\u2028\u2029]+/g, " ").trim();
  return line.length > MAX_REASON ? `${line.slice(0, MAX_REASON)}…` : line;
}
