/** Asks a program something before it is let do its work: in the same place, with the same environment. */
import type { ProfileCall } from "./profile.ts";

const MAX_BYTES = 32 * 1024 * 1024;
const TIMEOUT_MS = 20_000;

/** What it printed; undefined when it failed, or printed more than can be looked at. */
export async function probe(call: ProfileCall, args: readonly string[]): Promise<string | undefined> {
  const { command, place, env, abortSignal } = call;
  const result = await place.exec([command, ...args], {
    cwd: place.cwd,
    env,
    abortSignal,
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: MAX_BYTES,
    hardOutputBytes: MAX_BYTES,
  });
  if (result.status !== "exited" || result.exitCode !== 0 || result.truncated) return undefined;
  return Buffer.from(result.stdout).toString();
}
