/** What a model should know of the place where its commands run. To be put at the end of a description. */
import type { SandboxAccess } from "../../core/sandbox.ts";

export function sandboxNotes(sandbox: SandboxAccess | undefined): string {
  if (!sandbox || sandbox.capabilities.notes.length === 0) return "";
  return `\nHere: ${sandbox.capabilities.notes.join(" ")}`;
}

/** A program may be listed many times over, so it says only what it must: that it is not the real one. */
export function simulationNotes(sandbox: SandboxAccess | undefined): string {
  return sandbox?.capabilities.realProcesses ? "" : sandboxNotes(sandbox);
}
