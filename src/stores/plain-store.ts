/** A store as an object of functions: any of them may be taken out of it, and another put in its place. */
import type { SessionStore } from "../core/store.ts";

export function plainStore(store: SessionStore): SessionStore {
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
