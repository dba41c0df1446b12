/** Rules: read strictly once, so that asking them is simple. */

import { validateHeaderName } from "node:http";
import { HaftError } from "../../base/errors.ts";
import type { EgressHeader, EgressRequest, EgressRule } from "../../core/egress.ts";
import { canonicalHost, canonicalPattern, hostMatches } from "./hosts.ts";
import { isUnder, plainPath } from "./paths.ts";

/** A rule whose host is canonical and whose name is set. */
export type CheckedRule = EgressRule & { readonly name: string };

const WEB_PORTS = [80, 443];
const TLS_PORTS = [443];
const RULE_KEYS = ["action", "host", "ports", "methods", "pathPrefix", "name"];
const HEADER_KEYS = ["host", "name", "secret", "prefix", "ports"];

export function checkedRule(rule: EgressRule): CheckedRule {
  checkKeys(rule, RULE_KEYS, "A rule");
  const { action, ports, methods, pathPrefix } = rule;
  if (action !== "allow" && action !== "deny")
    throw invalid(`A rule has the action ${show(action)}`, 'Use "allow" or "deny".');
  const host = typeof rule.host === "string" ? canonicalPattern(rule.host) : undefined;
  if (host === undefined) {
    const hint = "Give a name, an address, or *. and a name: no scheme, no port, no path.";
    throw invalid(`A rule has the host ${show(rule.host)}, which is none`, hint);
  }
  if (host === "*" && action === "allow") throw invalid('A rule allows "*"', "Name the hosts, or use decide.");
  if (ports !== undefined) checkPorts(ports);
  if (methods !== undefined && !(isList(methods) && methods.every((method) => /^[A-Z]+$/.test(method)))) {
    throw invalid(`A rule for ${host} has the methods ${show(methods)}`, 'Give a list of words in capitals: ["GET"].');
  }
  if (pathPrefix !== undefined && !isPlainPrefix(pathPrefix)) {
    const hint = "It begins with a slash, and has no query, no escapes, no ; and no dots to resolve.";
    throw invalid(`A rule for ${host} has the pathPrefix ${show(pathPrefix)}`, hint);
  }
  const name = rule.name === undefined ? `${action} ${host}` : String(rule.name);
  return Object.freeze({ ...rule, host, name });
}

export function checkedHeader(header: EgressHeader): EgressHeader {
  checkKeys(header, HEADER_KEYS, "A header");
  const host = typeof header.host === "string" ? canonicalHost(header.host) : undefined;
  if (host === undefined || host.includes("*")) {
    throw invalid(
      `A header has the host ${show(header.host)}, which is none`,
      "Name one host: no pattern, no scheme, no port.",
    );
  }
  if (!isHeaderName(header.name))
    throw invalid(`A header for ${host} has the name ${show(header.name)}`, "Give its name, such as authorization.");
  if (typeof header.secret !== "string" || header.secret === "") {
    throw invalid(`The header ${header.name} for ${host} names no secret`, "Set secret to the name of one.");
  }
  if (header.prefix !== undefined && !/^[\x20-\x7e]*$/.test(String(header.prefix))) {
    throw invalid(`The header ${header.name} for ${host} has a prefix that no header can have`, "Use printable ASCII.");
  }
  if (header.ports !== undefined) checkPorts(header.ports);
  return Object.freeze({ ...header, host, name: header.name.toLowerCase() });
}

/** Where the rule has power: a host and a port. */
function covers(rule: CheckedRule, { host, port }: EgressRequest): boolean {
  const ports = rule.ports ?? (rule.action === "allow" ? WEB_PORTS : undefined);
  return hostMatches(rule.host, host) && (ports === undefined || ports.includes(port));
}

function looksInside(rule: CheckedRule): boolean {
  return rule.methods !== undefined || rule.pathPrefix !== undefined;
}

/** What a tunnel hides is not allowed by a rule that wants to see it. */
export function allows(rule: CheckedRule, request: EgressRequest): boolean {
  if (rule.action !== "allow" || !covers(rule, request)) return false;
  if (request.isTunnel) return !looksInside(rule);
  const path = plainPath(request.path ?? "/");
  const isPath = rule.pathPrefix === undefined || (path !== undefined && isUnder(path, rule.pathPrefix));
  return isPath && isMethod(rule, request);
}

/** What a tunnel hides may be what the rule denies. Of paths the wider reading counts, capitals or not. */
export function denies(rule: CheckedRule, request: EgressRequest): boolean {
  if (rule.action !== "deny" || !covers(rule, request)) return false;
  if (request.isTunnel) return true;
  const path = plainPath(request.path ?? "/");
  const isPath =
    rule.pathPrefix === undefined || path === undefined || isUnder(path.toLowerCase(), rule.pathPrefix.toLowerCase());
  return isPath && isMethod(rule, request);
}

/** Something is allowed there, but not blindly. */
export function wouldLookInside(rule: CheckedRule, request: EgressRequest): boolean {
  return rule.action === "allow" && looksInside(rule) && covers(rule, request);
}

function isMethod({ methods }: CheckedRule, { method }: EgressRequest): boolean {
  return methods === undefined || methods.includes((method ?? "").toUpperCase());
}

/** Over plain HTTP a header goes only where a person named the port. */
export function fills({ host, ports }: EgressHeader, request: EgressRequest): boolean {
  if (host !== request.host || !(ports ?? TLS_PORTS).includes(request.port)) return false;
  return request.scheme === "https" || (request.scheme === "http" && ports !== undefined);
}

function isPlainPrefix(prefix: unknown): boolean {
  return typeof prefix === "string" && /^\/[^?#%\s]*$/.test(prefix) && plainPath(prefix) === prefix;
}

function isHeaderName(name: unknown): name is string {
  try {
    validateHeaderName(name as string);
    return !/^(host|connection|content-length|transfer-encoding|upgrade|te|trailer|expect)$/i.test(name as string);
  } catch {
    return false;
  }
}

function checkPorts(ports: readonly number[]): void {
  if (isList(ports) && ports.every((port) => Number.isInteger(port) && port >= 1 && port <= 65535)) return;
  throw invalid(`A list of ports is ${show(ports)}`, "Give whole numbers from 1 to 65535, or leave it out.");
}

function checkKeys(value: object, keys: readonly string[], what: string): void {
  if (typeof value !== "object" || value === null) throw invalid(`${what} is ${show(value)}`, "Give an object.");
  const unknown = Object.keys(value).find((key) => !keys.includes(key));
  if (unknown) throw invalid(`${what} has ${show(unknown)}, which is not known`, `There are: ${keys.join(", ")}.`);
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0;
}

function show(value: unknown): string {
  return (JSON.stringify(value) ?? String(value)).slice(0, 100);
}

export function invalid(message: string, hint: string): HaftError {
  return new HaftError("EGRESS_INVALID", `${message}.`, { hint });
}
