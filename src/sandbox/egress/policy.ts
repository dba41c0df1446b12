/** One policy: what may be reached, by which rule, and at which address. */

import { isIP } from "node:net";
import type {
  EgressAudit,
  EgressDoor,
  EgressHeader,
  EgressPolicy,
  EgressRequest,
  EgressVerdict,
} from "../../core/egress.ts";
import { specialAddress } from "./addresses.ts";
import { auditOf, type EgressListener, newTraffic, tell } from "./audit.ts";
import type { Asker } from "./decide.ts";
import { openDoor } from "./door.ts";
import { bracketed, canonicalHost } from "./hosts.ts";
import { refuseHeaders } from "./refuse-headers.ts";
import { addressesOf, type EgressLookup } from "./resolve.ts";
import { allows, type CheckedRule, denies, wouldLookInside } from "./rules.ts";

export interface PolicyParts {
  rules: readonly CheckedRule[];
  headers: readonly EgressHeader[];
  asker: Asker | undefined;
  audit: EgressListener | undefined;
  allowPrivate: boolean;
  lookup: EgressLookup;
}

export class Policy implements EgressPolicy {
  readonly rules: readonly CheckedRule[];
  readonly headers: readonly EgressHeader[];
  readonly asks: boolean;
  readonly #parts: PolicyParts;

  constructor(parts: PolicyParts) {
    this.rules = Object.freeze([...parts.rules]);
    this.headers = Object.freeze([...parts.headers]);
    this.asks = parts.asker !== undefined;
    this.#parts = parts;
  }

  async evaluate(request: EgressRequest, options: { abortSignal?: AbortSignal } = {}): Promise<EgressVerdict> {
    const traffic = newTraffic();
    const verdict = await this.#judge(request, options.abortSignal).catch(() => refused("the policy failed"));
    if (!verdict.allow) this.audit(auditOf(request, verdict, traffic));
    return verdict;
  }

  audit(entry: EgressAudit): void {
    tell(this.#parts.audit, entry);
  }

  async open(of: { sandbox: string; exec: string }): Promise<EgressDoor> {
    refuseHeaders(this);
    return openDoor(this, of);
  }

  async #judge(given: EgressRequest, abortSignal: AbortSignal | undefined): Promise<EgressVerdict> {
    const host = canonicalHost(given.host);
    if (host === undefined || !isPort(given.port)) return refused("it names no host that there can be");
    const request = { ...given, host };

    const deny = this.rules.find((rule) => denies(rule, request));
    if (deny) return refused(whyDenied(deny, request), deny.name);
    // Nobody is asked for what would be refused afterwards.
    const literal = isIP(host) ? this.#addressProblem(host, request) : undefined;
    if (literal) return literal;

    const verdict = await this.#allowed(request, abortSignal);
    if (!verdict.allow) return verdict;
    if (isIP(host)) return { ...verdict, address: host };
    return this.#resolved(request, verdict, abortSignal);
  }

  async #allowed(request: EgressRequest, abortSignal: AbortSignal | undefined): Promise<EgressVerdict> {
    const allow = this.rules.find((rule) => allows(rule, request));
    if (allow) return { allow: true, reason: `the rule "${allow.name}" allows it`, rule: allow.name };
    if (request.isTunnel) {
      const inside = this.rules.find((rule) => wouldLookInside(rule, request));
      if (inside) {
        const reason = `only some methods or paths of ${request.host} are allowed, and a tunnel (HTTPS) hides them`;
        return refused(reason, inside.name);
      }
    }
    if (this.#parts.asker) return this.#parts.asker.ask(request, abortSignal);
    return refused(this.#whyNoRule(request));
  }

  /** All addresses have to be good: which of them is dialed is not for the name's owner to choose. */
  async #resolved(
    request: EgressRequest,
    verdict: EgressVerdict,
    abortSignal: AbortSignal | undefined,
  ): Promise<EgressVerdict> {
    const addresses = await addressesOf(request.host, this.#parts.lookup, abortSignal);
    if (addresses.length === 0) return refused(`${request.host} has no address`, verdict.rule);
    for (const address of addresses) {
      const problem = this.#addressProblem(address, request);
      if (problem) return { ...problem, rule: problem.rule ?? verdict.rule };
    }
    return { ...verdict, address: addresses[0]! };
  }

  #addressProblem(address: string, request: EgressRequest): EgressVerdict | undefined {
    const direct = { ...request, host: address };
    const deny = this.rules.find((rule) => denies(rule, direct));
    if (deny) return refused(whyDenied(deny, direct), deny.name);
    const special = specialAddress(address);
    if (special === undefined) return undefined;
    if (this.#parts.allowPrivate && special.kind === "private") return undefined;
    if (this.rules.some((rule) => allows(rule, direct))) return undefined;
    const who = address === request.host ? address : `${request.host} is at ${address}, which`;
    return refused(`${who} is ${special.what}, and no rule allows ${bracketed(address)}:${request.port} itself`);
  }

  #whyNoRule({ host, port }: EgressRequest): string {
    const otherPort = this.rules.some((rule) => rule.action === "allow" && rule.host === host);
    return otherPort ? `no rule allows this of ${bracketed(host)}:${port}` : `no rule allows ${host}`;
  }
}

function whyDenied(rule: CheckedRule, { isTunnel }: EgressRequest): string {
  const hidden = isTunnel && (rule.methods ?? rule.pathPrefix) !== undefined;
  return `the rule "${rule.name}" denies it${hidden ? ", as a tunnel hides methods and paths" : ""}`;
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= 65535;
}

function refused(reason: string, rule?: string): EgressVerdict {
  return { allow: false, reason, ...(rule !== undefined && { rule }) };
}
