/** The stores that outlive a process: the victims and who looks after them open the same one. */
import type { SessionStore } from "../../../src/core/store.ts";
import * as stores from "../../../src/stores/index.ts";

/** `at`: a folder, a file, or a connection string. */
export interface Where {
  kind: StoreKind;
  at: string;
}

const open = {
  file: (at: string) => stores.fileStore(at),
  "sqlite-strict": (at: string) => stores.sqliteStore(at, { durability: "strict" }),
  "sqlite-fast": (at: string) => stores.sqliteStore(at, { durability: "fast" }),
  postgres: (at: string) => stores.postgresStore({ connectionString: at }),
  /** No store of ours: it acknowledges before it has written, so that the tests are seen to find that. */
  hasty: (at: string) => hasty(stores.fileStore(at)),
};

export type StoreKind = keyof typeof open;

export function openStore({ kind, at }: Where): SessionStore {
  return open[kind](at);
}

function hasty(store: SessionStore): SessionStore {
  const append: SessionStore["append"] = async (session, entries, options) => {
    setTimeout(() => Promise.resolve(store.append(session, entries, options)).catch(() => {}), 5);
  };
  return new Proxy(store, {
    get(target, name) {
      return name === "append" ? append : target[name as keyof SessionStore]?.bind(target);
    },
  });
}
