/** Headers that are filled in outside of the sandbox, and keeping their values out of what comes back. */

import { validateHeaderValue } from "node:http";
import type { EgressHeader, EgressPolicy, EgressRequest } from "../../core/egress.ts";
import type { Secrets } from "../../core/secrets.ts";
import { fills, invalid } from "./rules.ts";

/** Shorter ones stand in ordinary text by chance, and could not be taken out of it. */
const MIN_VALUE = 8;

export class FilledHeaders {
  readonly #headers: readonly EgressHeader[];
  readonly #secrets: Pick<Secrets, "get"> | undefined;

  /** @throws HaftError `EGRESS_INVALID` for a value that is missing or cannot be used; what `get` throws */
  constructor(policy: EgressPolicy, secrets: Pick<Secrets, "get"> | undefined) {
    this.#headers = policy.headers ?? [];
    this.#secrets = secrets;
    for (const header of this.#headers) this.#value(header);
  }

  /** What a request gets. Empty for most. */
  for(request: EgressRequest): [string, string][] {
    const filled = this.#headers.filter((header) => fills(header, request));
    return filled.map((header) => [header.name, `${header.prefix ?? ""}${this.#value(header)}`]);
  }

  /** A server may send back what it was sent: the value as it is, in JSON, in a URL or in base64. */
  hide(bytes: Uint8Array): Uint8Array {
    let done = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    for (const header of this.#headers) {
      const value = this.#value(header);
      const shown = Buffer.from(`[REDACTED:${header.secret}]`);
      for (const form of formsOf(value, header.prefix ?? "")) done = replaced(done, Buffer.from(form), shown);
    }
    return done;
  }

  hideText(text: string): string {
    return this.#headers.length === 0 ? text : Buffer.from(this.hide(Buffer.from(text))).toString();
  }

  /** Asked for each time: a value may be renewed. */
  #value({ name, host, secret, prefix }: EgressHeader): string {
    const what = `The secret "${secret}", for the header ${name} of ${host},`;
    if (this.#secrets === undefined) throw invalid(`${what} has no source`, "Give the sandbox secrets: { get(name) }.");
    const value: unknown = this.#secrets.get(secret);
    if (typeof value !== "string" || value.length < MIN_VALUE) {
      throw invalid(`${what} has fewer than ${MIN_VALUE} characters`, "It could not be taken out of answers.");
    }
    try {
      validateHeaderValue(name, `${prefix ?? ""}${value}`);
    } catch {
      throw invalid(`${what} has a value that no header can have`, "Look for a line end in it.");
    }
    return value;
  }
}

function formsOf(value: string, prefix: string): Set<string> {
  const base64 = [value, prefix + value].map((text) => Buffer.from(text).toString("base64").replace(/=+$/, ""));
  return new Set([value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value), ...base64]);
}

function replaced(bytes: Buffer<ArrayBufferLike>, form: Buffer, shown: Buffer): Buffer<ArrayBufferLike> {
  const parts: Buffer[] = [];
  let done = 0;
  for (let at = bytes.indexOf(form); at >= 0; at = bytes.indexOf(form, done)) {
    parts.push(bytes.subarray(done, at), shown);
    done = at + form.length;
  }
  return done === 0 ? bytes : Buffer.concat([...parts, bytes.subarray(done)]);
}
