/** The network of one command in a simulated shell: requests are made here, outside of it, each hop judged anew. */

import { STATUS_CODES } from "node:http";
import { LONGEST_TIMEOUT_MS } from "../../base/watchdog.ts";
import type { EgressAudit, EgressPolicy } from "../../core/egress.ts";
import { auditOf, newTraffic } from "./audit.ts";
import { oneLine } from "./decide.ts";
import { type FetchRequest, type FetchTarget, readFetch, readTarget } from "./fetch-request.ts";
import type { FilledHeaders } from "./filled-headers.ts";
import { type HopAnswer, makeHop } from "./hop.ts";

/** What goes back to the shell, and nothing else. */
export type Fetched =
  | { status: number; statusText: string; headers: Record<string, string>; body: Uint8Array; url: string }
  /** A sentence; the simulated curl makes its exit code of its first words. */
  | { error: string };

export interface FetchParts {
  policy: EgressPolicy;
  filled: FilledHeaders;
  sandbox: string;
  exec: string;
  /** For tests. */
  ca?: string;
}

/** At once, for one command. */
const MAX_REQUESTS = 16;
const MAX_DENIED = 1000;
/** They would hide a value from being found in an answer. */
const WITHOUT_SECRETS = new Set(["range", "if-range", "accept-encoding"]);
/** They are for whom they were written to. */
const FOR_ONE_ORIGIN = new Set(["authorization", "cookie"]);

export class EgressFetch {
  readonly denied: EgressAudit[] = [];
  readonly #parts: FetchParts;
  readonly #closing = new AbortController();
  #running = 0;

  constructor(parts: FetchParts) {
    this.#parts = parts;
  }

  /** Never rejects. */
  async fetch(given: unknown): Promise<Fetched> {
    if (this.#closing.signal.aborted) return { error: "the request was aborted" };
    if (this.#running >= MAX_REQUESTS) return { error: `more than ${MAX_REQUESTS} requests at once` };
    this.#running++;
    try {
      return await this.#follow(readFetch(given));
    } catch (thrown) {
      return { error: this.#explain(thrown) };
    } finally {
      this.#running--;
    }
  }

  close(): void {
    this.#closing.abort();
  }

  async #follow(request: FetchRequest): Promise<Fetched> {
    const limit =
      request.timeoutMs === undefined ? [] : [AbortSignal.timeout(Math.min(request.timeoutMs, LONGEST_TIMEOUT_MS))];
    const abortSignal = AbortSignal.any([this.#closing.signal, ...limit]);
    let next = request;
    for (let hops = 0; ; hops++) {
      const { target, search, url } = readTarget(next.url, next.method);
      const answer = await this.#hop(next, target, search, abortSignal);
      const onward = redirected(next, url, answer);
      if (onward === undefined || request.maxRedirects === 0) return this.#given(answer, url);
      if (hops >= request.maxRedirects) throw new Error(`Too many redirects: more than ${request.maxRedirects}`);
      next = onward;
    }
  }

  async #hop(request: FetchRequest, target: FetchTarget, search: string, abortSignal: AbortSignal): Promise<HopAnswer> {
    const { policy, filled, sandbox, exec, ca } = this.#parts;
    const traffic = newTraffic();
    const asked = { ...target, sandbox, exec };
    const verdict = await policy.evaluate(asked, { abortSignal });
    if (!verdict.allow) {
      if (this.denied.length < MAX_DENIED) this.denied.push(auditOf(asked, verdict, traffic));
      throw new Error(`Network access denied: ${verdict.reason}`);
    }
    const own = filled.for(asked);
    const headers = own.length === 0 ? request.headers : withFilled(request.headers, own);
    let failure = "";
    try {
      abortSignal.throwIfAborted();
      const answer = await makeHop(
        { target, search, address: verdict.address!, headers, body: request.body, abortSignal, ca },
        traffic,
      );
      if (own.length > 0 && !/^(identity)?$/i.test(answer.headers["content-encoding"] ?? "")) {
        throw new Error(
          "the answer is compressed, though nobody asked for that: it cannot be looked through for secrets",
        );
      }
      return answer;
    } catch (thrown) {
      failure = `; ${this.#explain(thrown)}`;
      throw thrown;
    } finally {
      policy.audit?.(auditOf(asked, { ...verdict, reason: `${verdict.reason}${failure}` }, traffic));
    }
  }

  #given({ status, headers, body }: HopAnswer, url: URL): Fetched {
    const { filled } = this.#parts;
    const hidden = Object.entries(headers).map(([name, value]) => [filled.hideText(name), filled.hideText(value)]);
    return {
      ...{ status, statusText: STATUS_CODES[status] ?? "", headers: Object.fromEntries(hidden) },
      ...{ body: new Uint8Array(filled.hide(body)), url: filled.hideText(url.href) },
    };
  }

  /** A secret that cannot be read any more cannot be looked for either. */
  #hidden(sentence: string): string {
    try {
      return this.#parts.filled.hideText(sentence);
    } catch {
      return "a secret of the policy cannot be read";
    }
  }

  /** In the words from which curl makes its exit codes. */
  #explain(thrown: unknown): string {
    const { name, message, code } = thrown as NodeJS.ErrnoException;
    if (name === "TimeoutError" || name === "AbortError") return "the request was aborted";
    if (code === "ECONNRESET") return "the server broke it off (ECONNRESET)"; // Node calls this "aborted"
    return this.#hidden(oneLine(code && !message.includes(code) ? `${message} (${code})` : message));
  }
}

function withFilled(headers: [string, string][], own: [string, string][]): [string, string][] {
  const names = new Set(own.map(([name]) => name));
  const kept = headers.filter(([name]) => !names.has(name) && !WITHOUT_SECRETS.has(name));
  return [...kept, ...own, ["accept-encoding", "identity"]];
}

/** As curl does it: a POST that is sent elsewhere becomes a GET, except by 307 and 308. */
function redirected(request: FetchRequest, from: URL, { status, headers }: HopAnswer): FetchRequest | undefined {
  const location = headers["location"];
  if (location === undefined || ![301, 302, 303, 307, 308].includes(status)) return undefined;
  const to = URL.canParse(location, from.href) ? new URL(location, from.href) : undefined;
  if (to === undefined) throw new Error("the server redirects to a place that cannot be read");
  const isSame = to.origin === from.origin;
  const isKept = status >= 307 || (request.method !== "POST" && status !== 303) || request.method === "HEAD";
  const dropped = (name: string) =>
    (!isSame && FOR_ONE_ORIGIN.has(name)) || (!isKept && (name === "content-type" || name === "content-encoding"));
  return {
    ...request,
    url: to.href,
    method: isKept ? request.method : "GET",
    body: isKept ? request.body : undefined,
    headers: request.headers.filter(([name]) => !dropped(name)),
  };
}
