/** Tells a model which requests of its command the network policy refused, and why: a program's own words rarely do. */
import type { EgressAudit } from "../../core/egress.ts";
import type { ExecResult } from "../../core/sandbox.ts";
import type { HiddenValues } from "./hidden-values.ts";

const MAX_LINES = 10;
const MAX_URL = 200;

/** A line for each that differs, with a line end; empty when nothing was refused. A secret may be a part of a path. */
export function networkNotes({ egressDenied = [] }: ExecResult, hidden: HiddenValues): string {
  const lines = [...new Set(egressDenied.map((entry) => withoutSecrets(lineOf(entry), hidden)))];
  const shown = lines.slice(0, MAX_LINES);
  if (lines.length > shown.length) shown.push(`[network: ${lines.length - shown.length} more requests were refused]`);
  return shown.map((line) => `${line}\n`).join("");
}

function lineOf(entry: EgressAudit): string {
  return `[network: ${whatOf(entry)} was refused: ${entry.reason}]`;
}

function whatOf({ host, port, method, scheme, path, isTunnel }: EgressAudit): string {
  if (host === "") return "a request";
  const name = host.includes(":") ? `[${host}]` : host;
  if (isTunnel) return `a connection to ${name}:${port}`;
  const usual = scheme === "https" ? 443 : 80;
  const url = `${scheme ?? "http"}://${name}${port === usual ? "" : `:${port}`}${path ?? "/"}`;
  return `${method ?? "GET"} ${url.length > MAX_URL ? `${url.slice(0, MAX_URL)}…` : url}`;
}

function withoutSecrets(line: string, hidden: HiddenValues): string {
  const stream = hidden.stream();
  return stream ? Buffer.concat([stream.push(Buffer.from(line)), stream.end()]).toString() : line;
}
