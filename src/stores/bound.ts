/** A store whose methods can be taken out of it, as whoever wraps a store does: `{ ...store, append }`. */
import type { SessionStore } from "../core/store.ts";

export function bound(store: SessionStore): SessionStore {
  return {
    read: (session, after) => store.read(session, after),
    append: (session, entries, options) => store.append(session, entries, options),
    claim: (session, options) => store.claim(session, options),
    renew: (session, options) => store.renew(session, options),
    release: (session, options) => store.release(session, options),
    list: (options) => store.list(options),
    close: () => store.close(),
  };
}
