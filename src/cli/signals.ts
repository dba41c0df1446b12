/** What stops whatever runs: Ctrl-C and its relatives, and a reader of our output that has gone. */
import { exitCodes } from "./exit-codes.ts";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export type StopSignal = (typeof signals)[number] | "reader-gone";

export const signalExitCodes: Record<StopSignal, number> = {
  SIGINT: exitCodes.interrupted,
  SIGTERM: exitCodes.terminated,
  SIGHUP: exitCodes.hangup,
  "reader-gone": exitCodes.unread,
};

/** For people. */
export const stopReasons: Record<StopSignal, string> = {
  SIGINT: "Ctrl-C",
  SIGTERM: "SIGTERM",
  SIGHUP: "SIGHUP",
  "reader-gone": "a reader that has gone",
};

const readerListeners = new Set<() => void>();

/** `handler` is told how many there were, this one included. Gives the function that stops listening. */
export function onStopSignal(handler: (signal: StopSignal, times: number) => void): () => void {
  let times = 0;
  const onSignal = (signal: NodeJS.Signals) => handler(signal as StopSignal, ++times);
  const onReaderGone = () => handler("reader-gone", ++times);
  for (const name of signals) process.on(name, onSignal);
  readerListeners.add(onReaderGone);
  return () => {
    for (const name of signals) process.off(name, onSignal);
    readerListeners.delete(onReaderGone);
  };
}

/**
 * When whoever read our output has gone, what runs is stopped; there may be work to keep, so nothing else happens.
 * This is no listener for SIGPIPE: when one is removed, Node lets the next such signal end the process.
 */
export function stopWithReader(): void {
  let isKnown = false;
  process.stdout.on("error", () => {
    if (isKnown) return;
    isKnown = true;
    for (const listener of [...readerListeners]) listener();
  });
  process.stderr.on("error", () => {});
}
