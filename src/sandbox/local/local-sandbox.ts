/** The local sandbox's own part: what it says of itself. Its commands have the rights of whoever runs the program. */
import type { SandboxCapabilities } from "../../core/sandbox.ts";
import type { ConfinedRoot } from "../files/confined-root.ts";
import { HostSandbox } from "../host-sandbox.ts";
import type { Containment } from "../process/containment.ts";

export interface LocalSandboxParts {
  root: ConfinedRoot;
  /** All that a command gets, beside what its own call adds. */
  env: Record<string, string>;
  containment: Containment;
}

export class LocalSandbox extends HostSandbox {
  constructor(parts: LocalSandboxParts) {
    const cwd = parts.root.root;
    super({
      ...parts,
      kind: "local",
      capabilities: capabilitiesOf(parts.containment, cwd),
      summary: `local: real commands with your rights in ${cwd}; the file API stays inside it, commands do not`,
    });
  }
}

function capabilitiesOf(containment: Containment, cwd: string): SandboxCapabilities {
  return {
    realProcesses: true,
    streaming: true,
    byteOutput: true,
    background: true,
    overlay: false,
    mount: "none",
    isolates: { files: false, network: false, processes: false },
    limits: { memory: false, processes: false, disk: false, cpu: false },
    notes: notesOf(containment, cwd),
  };
}

function notesOf(containment: Containment, cwd: string): string[] {
  const notes = [
    "Commands run on the user's own machine, with the user's rights and network: they are not isolated.",
    `File tools reach only what is inside ${cwd}; commands are not held to that.`,
    "Each command runs in a fresh shell: variables, cd and background jobs do not outlive it.",
  ];
  if (containment.kind === "pid-namespace") {
    notes.push("Commands see only their own processes.");
    const isRoot = process.getuid?.() === 0;
    notes.push(
      isRoot ? "What a command mounts is gone when it ends." : "sudo and other set-user-id programs do not work.",
    );
  }
  return notes;
}
