/** One spelling for each host, so that a rule for it cannot be walked around by another. */

import { isIP, isIPv6 } from "node:net";

/** Of a DNS name, in characters (RFC 1035). */
const MAX_HOST = 253;

/**
 * As WHATWG URL reads it: `0x7f.1` and `2130706433` are `127.0.0.1`, `EX%61MPLE.com.` is `example.com`, `bücher.de` is
 * `xn--bcher-kva.de`. An IPv6 address has no brackets. undefined for what is no host.
 */
export function canonicalHost(host: string): string | undefined {
  const inBrackets = isIPv6(host) ? `[${host}]` : host;
  // What ends a host in a URL cannot be a part of one.
  if (/[/\\?#@\s]/.test(inBrackets) || (!inBrackets.startsWith("[") && inBrackets.includes(":"))) return undefined;
  try {
    return withoutBrackets(new URL(`http://${inBrackets}/`).hostname);
  } catch {
    return undefined;
  }
}

/** Of a hostname that a URL gave. */
export function withoutBrackets(hostname: string): string | undefined {
  const host = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname.replace(/\.$/, "");
  return host === "" || host.endsWith(".") || host.length > MAX_HOST ? undefined : host;
}

/** For a URL. */
export function bracketed(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}

/** The canonical form of `host`, `*.host` or `*`. undefined for every other pattern. */
export function canonicalPattern(pattern: string): string | undefined {
  if (pattern === "*") return pattern;
  if (!pattern.startsWith("*.")) return pattern.includes("*") ? undefined : canonicalHost(pattern);
  const base = canonicalHost(pattern.slice(2));
  if (base === undefined || base.includes("*") || isIP(base)) return undefined;
  return `*.${base}`;
}

/** Both in their canonical form. An address is never below a name. */
export function hostMatches(pattern: string, host: string): boolean {
  if (pattern === "*") return true;
  if (!pattern.startsWith("*.")) return pattern === host;
  return isIP(host) === 0 && host.length > pattern.length - 1 && host.endsWith(pattern.slice(1));
}
