/** Ctrl-C and its relatives while something runs. */
import { exitCodes } from "./exit-codes.ts";

export type StopSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

export const signalExitCodes: Record<StopSignal, number> = {
  SIGINT: exitCodes.interrupted,
  SIGTERM: exitCodes.terminated,
  SIGHUP: exitCodes.hangup,
};

/** `handler` is told how many there were, this one included. Gives the function that stops listening. */
export function onStopSignal(handler: (signal: StopSignal, times: number) => void): () => void {
  let times = 0;
  const names = Object.keys(signalExitCodes) as StopSignal[];
  const listener = (signal: NodeJS.Signals) => handler(signal as StopSignal, ++times);
  for (const name of names) process.on(name, listener);
  return () => {
    for (const name of names) process.off(name, listener);
  };
}

/** Ends the process when whoever read our output has gone, as other programs in a pipe do. */
export function endWithReader(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(exitCodes.failed);
  });
}
