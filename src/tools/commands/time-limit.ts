/** How long a command may take: what the model asked for, in seconds, within what is allowed. */

export const DEFAULT_MS = 120_000;
export const MAX_MS = 600_000;

export interface TimeLimit {
  ms: number;
  /** Said to the model when it asked for more than it gets. */
  note?: string;
}

/** `defaultMs` is the tool's own; where it is more than ten minutes, it is the most too, unless `mostMs` says what is. */
export function timeLimit(seconds: number | undefined, defaultMs = DEFAULT_MS, mostMs?: number): TimeLimit {
  const maxMs = mostMs ?? Math.max(MAX_MS, defaultMs);
  if (seconds === undefined) return { ms: Math.min(defaultMs, maxMs) };
  if (seconds * 1000 <= maxMs) return { ms: Math.max(1, Math.round(seconds * 1000)) };
  return { ms: maxMs, note: `the timeout was lowered from ${seconds} s to ${maxMs / 1000} s, the most there is` };
}
