/** What a client of the proxy asks for, read strictly: a request that can be read in two ways is none. */

import type { IncomingMessage } from "node:http";
import { pairs } from "./headers.ts";
import { canonicalHost, withoutBrackets } from "./hosts.ts";

export interface Target {
  host: string;
  port: number;
  scheme?: "http";
  method?: string;
  path?: string;
  isTunnel: boolean;
}

export type ReadRequest = { target: Target; search: string } | { problem: string };

export function readAbsolute(request: IncomingMessage): ReadRequest {
  if (hasTwoLengths(request)) return { problem: "it says its length in two ways" };
  const coding = request.headers["transfer-encoding"];
  if (coding !== undefined && coding.toLowerCase() !== "chunked")
    return { problem: "its body is coded in a way that is not known" };
  const target = request.url ?? "";
  if (/^https:\/\//i.test(target)) return { problem: "https is asked for with CONNECT" };
  if (!/^http:\/\/[^/\\]/i.test(target)) return { problem: "a proxy is asked with a whole http:// address" };
  let url: URL;
  try {
    url = new URL(target);
  } catch {
    return { problem: "its address cannot be read" };
  }
  const host = withoutBrackets(url.hostname);
  if (host === undefined || url.port === "0") return { problem: "its address names no host" };
  const port = url.port === "" ? 80 : Number(url.port);
  return {
    target: { host, port, scheme: "http", method: request.method ?? "GET", path: url.pathname, isTunnel: false },
    search: url.search,
  };
}

export function readConnect(authority: string): ReadRequest {
  const [, name, digits] = /^(\[[0-9a-fA-F:.]+\]|[^:/\\?#@\s[\]]+):(\d{1,5})$/.exec(authority) ?? [];
  const host = name === undefined ? undefined : canonicalHost(name);
  const port = Number(digits);
  if (host === undefined || port < 1 || port > 65535) return { problem: "CONNECT wants host:port" };
  return { target: { host, port, isTunnel: true }, search: "" };
}

/** The parser refuses this too; what follows such a request could be read as another one. */
function hasTwoLengths({ rawHeaders }: IncomingMessage): boolean {
  const names = pairs(rawHeaders).map(([name]) => name.toLowerCase());
  return names.filter((name) => name === "content-length" || name === "transfer-encoding").length > 1;
}
