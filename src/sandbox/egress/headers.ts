/** Headers on their way through: what belongs to one connection only stays behind. */

import type { IncomingHttpHeaders } from "node:http";

/** RFC 9110 §7.6.1, and what proxies and older clients say beside it. */
const HOP_BY_HOP = new Set([
  ...["connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization"],
  ...["proxy-authentication-info", "te", "trailer", "transfer-encoding", "upgrade", "http2-settings", "expect"],
]);

/** In pairs, as they came. `raw` is a list of names and values by turns. */
export function endToEnd(raw: readonly string[], headers: IncomingHttpHeaders): [string, string][] {
  const named = (headers.connection ?? "").toLowerCase().split(/\s*,\s*/);
  return pairs(raw).filter(([name]) => !isHopByHop(name) && !named.includes(name.toLowerCase()));
}

export function isHopByHop(name: string): boolean {
  return HOP_BY_HOP.has(name.toLowerCase());
}

export function pairs(raw: readonly string[]): [string, string][] {
  const found: [string, string][] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) found.push([raw[at]!, raw[at + 1]!]);
  return found;
}

/** What `http.request` takes: a list for a name that came more than once. */
export function headerMap(headers: readonly [string, string][]): Record<string, string | string[]> {
  const map: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    const before = map[key];
    map[key] = before === undefined ? value : [...(Array.isArray(before) ? before : [before]), value];
  }
  return map;
}
