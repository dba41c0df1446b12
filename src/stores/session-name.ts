/** What may name a session, and how a claim is to be asked for: the same in every store. */
import { HaftError, invalidOption } from "../base/errors.ts";
import type { ClaimOptions } from "../core/store.ts";

const maxLength = 200;
const isNoText = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

/** @throws HaftError `SESSION_INVALID` for what a database cannot keep as it is: nothing, a NUL, half a character */
export function checkSessionName(session: string): void {
  if (typeof session === "string" && session !== "" && session.length <= maxLength && !isNoText.test(session)) return;
  throw new HaftError("SESSION_INVALID", `${JSON.stringify(String(session).slice(0, 80))} cannot name a session`, {
    hint: `Use text of 1 to ${maxLength} characters, without NUL.`,
  });
}

/** @throws HaftError `OPTIONS_INVALID` */
export function checkClaim({ worker, ttlMs }: ClaimOptions): void {
  if (typeof worker !== "string" || worker === "") throw invalidOption("claim: worker is to be a name");
  checkTtl(ttlMs);
}

/** @throws HaftError `OPTIONS_INVALID` */
export function checkTtl(ttlMs: number): void {
  if (Number.isFinite(ttlMs) && ttlMs > 0) return;
  throw invalidOption("ttlMs is to be a number of milliseconds above 0");
}
