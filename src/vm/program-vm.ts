/** The door of the VM: programs in the caller's thread, or in worker threads. Nothing is loaded before a session is opened. */
import type { ProgramSession, ProgramSessionOptions, ProgramVm } from "../core/program.ts";

/** Cheap to begin, and the caller's thread stands still while a program computes. A write to an object must answer at once, and its stack is 256 KB at most. */
export function inlineVm(): ProgramVm {
  let wasUsed = false;
  return {
    async open(options: ProgramSessionOptions): Promise<ProgramSession> {
      wasUsed = true;
      const { openInline } = await import("./inline-session.ts");
      return openInline(options);
    },
    async close(): Promise<void> {
      if (!wasUsed) return;
      const { closeInline } = await import("./inline-session.ts");
      await closeInline();
    },
  };
}

/**
 * The caller's thread stays free, and a program that nothing else stops is ended with its thread. `workers`: at most so
 * many threads, shared by the sessions; by default as many as the machine has cores, and four at most.
 */
export function workerVm(options: { workers?: number } = {}): ProgramVm {
  let pool: Promise<ProgramVm> | undefined;
  const load = async (): Promise<ProgramVm> => {
    const { WorkerPool } = await import("./worker/worker-pool.ts");
    return new WorkerPool(options.workers);
  };
  return {
    async open(session: ProgramSessionOptions): Promise<ProgramSession> {
      pool ??= load();
      return (await pool).open(session);
    },
    async close(): Promise<void> {
      await (await pool)?.close();
    },
  };
}
