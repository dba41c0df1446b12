/** The door of the VM: programs in the caller's thread, or in worker threads. Nothing is loaded before a session is opened. */
import type { ProgramSession, ProgramSessionOptions, ProgramVm } from "../core/program.ts";

/** Cheap to begin, and the caller's thread stands still while a program computes. A write to an object must answer at once. */
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
