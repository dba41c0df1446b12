/** What `open-store.mjs` gives. */
import type { SessionStore } from "../../../src/core/store.ts";

export interface Where {
  kind: string;
  at: string;
}

export function openStore(where: Where): SessionStore;
