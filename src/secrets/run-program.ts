/** Runs a program that writes a secret: no shell, an exact environment, a time limit, and nothing of it is left behind. */
import { spawn } from "node:child_process";

/** So much a secret may be, in bytes. */
export const MOST_BYTES = 64 * 1024;

export interface ProgramLimits {
  env: Record<string, string>;
  timeoutMs: number;
  abortSignal: AbortSignal;
}

/** `problem`: what went wrong, without anything that the program said. */
export function runProgram(
  [program, ...args]: readonly string[],
  { env, timeoutMs, abortSignal }: ProgramLimits,
): Promise<{ problem?: string; stdout: string }> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let stopped: string | undefined;
    const child = spawn(program!, args, { env, stdio: ["ignore", "pipe", "ignore"], detached: true });
    const stop = (why: string) => {
      stopped ??= why;
      killGroup(child.pid);
      child.stdout.destroy(); // whoever left the group may still hold it
    };
    const onAbort = () => stop("was stopped: the run ended");
    const timer = setTimeout(() => stop(`did not end within ${timeoutMs} ms`), timeoutMs);
    if (abortSignal.aborted) onAbort();
    abortSignal.addEventListener("abort", onAbort, { once: true });
    const end = (problem: string | undefined) => {
      clearTimeout(timer);
      abortSignal.removeEventListener("abort", onAbort);
      resolve({ problem: stopped ?? problem, stdout: Buffer.concat(chunks).toString() });
    };
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > MOST_BYTES) stop("wrote more than 64 KiB");
      else chunks.push(chunk);
    });
    child.on("error", (error: NodeJS.ErrnoException) => end(`could not be started (${error.code ?? "unknown"})`));
    child.on("close", (code, signal) =>
      end(code === 0 ? undefined : signal ? `was ended by ${signal}` : `ended with exit code ${code}`),
    );
  });
}

/** The program and all that it started. */
function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // it is gone already
  }
}
