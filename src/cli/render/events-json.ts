/** `--json`: every event of a run as one line of JSON on stdout, and nothing else there. */
import type { RunEvent } from "../../core/log.ts";
import { plain } from "../../core/plain.ts";

/** What the command line adds to a run's own events: what an overlay held back, and what became of it. */
export interface ChangesEvent {
  type: "changes";
  files: { path: string; type: "created" | "modified" | "deleted" }[];
  applied: boolean;
  /** Unified diff of the files that are text. */
  patch: string;
}

export function jsonLine(event: RunEvent | ChangesEvent): string {
  return `${JSON.stringify(plain(event))}\n`;
}
