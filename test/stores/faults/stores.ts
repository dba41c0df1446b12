/** A place for each store that outlives a process. The one in memory does not, and is left out. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Entry } from "../../../src/core/log.ts";
import { openStore, type StoreKind, type Where } from "./open-store.ts";

export interface Place {
  /** The program of those who work on it. */
  child: string;
  where: Where;
  /** For what is beside the store. */
  folder: string;
  /** A run may end with an error: the test takes the store away. */
  mayFail?: boolean;
  read(session: string): Promise<Entry[]>;
  close(): Promise<void>;
}

export const fileKinds: StoreKind[] = ["file", "sqlite-strict", "sqlite-fast"];

/** `at` says where in the folder that is made for it, or where else. */
export function openPlace(kind: StoreKind, child: string, at = (folder: string) => join(folder, "store")): Place {
  const folder = mkdtempSync(join(tmpdir(), `haft-faults-${kind}-`));
  const where = { kind, at: at(folder) };
  const store = openStore(where);
  return {
    child,
    where,
    folder,
    read: (session) => store.read(session),
    async close() {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
