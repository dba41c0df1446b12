/** What a simulated curl asks for. It comes from a process that is not trusted, so it is read like a stranger's letter. */

import { validateHeaderName, validateHeaderValue } from "node:http";
import { isHopByHop } from "./headers.ts";
import { withoutBrackets } from "./hosts.ts";

export interface FetchRequest {
  url: string;
  method: string;
  headers: [string, string][];
  body: Uint8Array | undefined;
  maxRedirects: number;
  timeoutMs: number | undefined;
}

export interface FetchTarget {
  host: string;
  port: number;
  scheme: "http" | "https";
  method: string;
  path: string;
  isTunnel: false;
}

const MAX_REDIRECTS = 20;
const MAX_HEADERS = 200;
/** Ours to say: where it goes, how long it is, and how the connection is used. */
const OURS = new Set(["host", "content-length"]);

/** @throws Error with a sentence for the shell */
export function readFetch(given: unknown): FetchRequest {
  const { url, method, headers, body, followRedirects, maxRedirects, timeoutMs } = (given ?? {}) as Record<
    string,
    unknown
  >;
  if (typeof url !== "string" || url.length > 16_384) throw new Error("the URL cannot be read");
  const verb = String(method ?? "GET").toUpperCase();
  // What cannot be forwarded as a request, or would send the request itself back.
  if (!/^[A-Z]{1,20}$/.test(verb) || /^(CONNECT|TRACE|TRACK)$/.test(verb))
    throw new Error(`there is no method ${verb.slice(0, 20)} here`);
  if (!Array.isArray(headers) || headers.length > MAX_HEADERS) throw new Error("the headers cannot be read");
  if (body !== undefined && !(body instanceof Uint8Array)) throw new Error("the body cannot be read");
  const most = Number.isInteger(maxRedirects) ? Math.min(maxRedirects as number, MAX_REDIRECTS) : MAX_REDIRECTS;
  return {
    ...{
      url,
      method: verb,
      headers: headers.map(readHeader).filter(([name]) => !OURS.has(name) && !isHopByHop(name)),
      body,
    },
    maxRedirects: followRedirects === false ? 0 : most,
    timeoutMs: typeof timeoutMs === "number" && timeoutMs > 0 ? timeoutMs : undefined,
  };
}

function readHeader(header: unknown): [string, string] {
  const [name, value] = Array.isArray(header) ? header : [];
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch {
    throw new Error("a header has a name or a value that no header can have");
  }
  return [String(name).toLowerCase(), String(value)];
}

/** @throws Error with a sentence for the shell */
export function readTarget(url: string, method: string): { target: FetchTarget; search: string; url: URL } {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    throw new Error("the URL cannot be read");
  }
  const scheme = parsed.protocol.slice(0, -1);
  if (scheme !== "http" && scheme !== "https")
    throw new Error(`there is only http and https here, and no ${scheme.slice(0, 20)}`);
  const host = withoutBrackets(parsed.hostname);
  if (host === undefined || parsed.port === "0") throw new Error("the URL names no host");
  const port = parsed.port === "" ? (scheme === "https" ? 443 : 80) : Number(parsed.port);
  return {
    target: { host, port, scheme, method, path: parsed.pathname, isTunnel: false },
    search: parsed.search,
    url: parsed,
  };
}
