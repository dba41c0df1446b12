/** The calls that a person agreed to for a whole session: kept in this process, and gone with it. */
import { hashOf, type Json } from "../../base/json.ts";
import type { PendingCall } from "../../core/decision.ts";

/** One for each session. A call is known by its tool and its exact input; nothing of it is written anywhere. */
export class SessionAnswers {
  readonly #agreed = new Set<string>();

  agree(call: PendingCall): void {
    this.#agreed.add(keyOf(call));
  }

  hasAgreed(call: PendingCall): boolean {
    return call.reason === "approval" && this.#agreed.has(keyOf(call));
  }
}

/** Where a secret was taken out, what is left may stand for two inputs: only the hash of the whole tells them apart. */
function keyOf({ name, input, hash }: PendingCall): string {
  const isWhole = !JSON.stringify(input).includes("[REDACTED:");
  return isWhole ? hashOf([name, input as Json]) : hash;
}
