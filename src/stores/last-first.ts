/** The order of a list of sessions: who was written to last comes first. */
import type { SessionInfo } from "../core/store.ts";

export function lastFirst(one: SessionInfo, other: SessionInfo): number {
  return other.updatedAt - one.updatedAt || (one.session < other.session ? -1 : 1);
}
