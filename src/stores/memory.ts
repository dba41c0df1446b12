/** Logs in memory, for as long as the process lives. */
import type { Entry, Store } from "../core/log.ts";
import { checkEpoch } from "./epoch.ts";

export function memoryStore(): Store {
  const sessions = new Map<string, { entries: Entry[]; epoch: number }>();
  return {
    async read(session, after = -1) {
      const entries = sessions.get(session)?.entries ?? [];
      return structuredClone(entries.filter(({ seq }) => seq > after));
    },
    async append(session, entries, { epoch }) {
      const kept = sessions.get(session) ?? { entries: [], epoch };
      checkEpoch(session, epoch, kept.epoch);
      kept.entries.push(...entries);
      kept.epoch = epoch;
      sessions.set(session, kept);
    },
  };
}
