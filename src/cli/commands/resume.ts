/** `haft resume`: a session goes on where it stopped. */
import { type RunFlags, startRun } from "./run.ts";

export type ResumeCommandFlags = Omit<RunFlags, "session" | "approve" | "deny" | "answer" | "stdin">;

/** What `haft run --session` does without a task; standard input is not read. */
export function resumeCommand(session: string, flags: ResumeCommandFlags): Promise<number> {
  return startRun({ ...flags, session }, async () => ({ prompt: undefined, notes: [] }));
}
