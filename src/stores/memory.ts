/** Logs in memory, for as long as the process lives. */
import type { Entry, Store } from "../core/log.ts";
import { checkAppend } from "./may-append.ts";

export function memoryStore(): Store {
  const sessions = new Map<string, { entries: Entry[]; epoch: number }>();
  return {
    async read(session, after = -1) {
      const entries = sessions.get(session)?.entries ?? [];
      return structuredClone(entries.filter(({ seq }) => seq > after));
    },
    append(session, entries, { epoch }) {
      const kept = sessions.get(session) ?? { entries: [], epoch };
      checkAppend(session, { epoch: kept.epoch, last: kept.entries.at(-1)?.seq }, entries, epoch);
      for (const entry of entries) kept.entries.push(entry); // never changed by whoever wrote them
      kept.epoch = epoch;
      sessions.set(session, kept);
    },
  };
}
