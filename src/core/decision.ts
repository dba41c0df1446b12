/** What someone decided about a call that waits. */
import type { Json } from "../base/json.ts";

/**
 * - `approve`: run it; with `input`, run it with that input.
 * - `deny`: do not run it; the model reads the reason.
 * - `value`: do not run it; this is its output.
 * - `error`: do not run it; it failed with this message.
 */
export type Decision = { approve: true; input?: Json } | { deny: string } | { value: Json } | { error: string };

/** A call that waits for one. */
export interface PendingCall {
  callId: string;
  name: string;
  input: unknown;
  /** Of name and input; a decision holds for exactly this call. */
  hash: string;
  /**
   * - `approval`: its tool, or a policy, wants someone to agree.
   * - `snapshot`: its handler threw a SnapshotSignal.
   * - `in-doubt`: a crash left its outcome unknown, and its tool is not idempotent.
   */
  reason: "approval" | "snapshot" | "in-doubt";
  message: string;
  meta?: unknown;
  /** Milliseconds since 1970. From then on it is denied. Only of `approval`, with `approvalTimeoutMs`. */
  expiresAt?: number;
}
