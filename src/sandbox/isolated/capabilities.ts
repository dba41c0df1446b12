/** What an isolated sandbox says of itself: to programs in fields, to the model in sentences. */
import type { SandboxCapabilities } from "../../core/sandbox.ts";
import type { CheckedLimits } from "./limits.ts";
import { HOME } from "./visible-root.ts";

export interface IsolatedFacts {
  cwd: string;
  limits: CheckedLimits;
  /** Memory and processes are held by a control group. */
  isShared: boolean;
  /** Root runs the commands outside: the kernel's own limit on processes does not bind it. */
  isRoot: boolean;
  hasEgress: boolean;
}

export function capabilitiesOf(facts: IsolatedFacts): SandboxCapabilities {
  return {
    realProcesses: true,
    streaming: true,
    byteOutput: true,
    background: true,
    overlay: false,
    mount: "create",
    isolates: { files: true, network: true, processes: true },
    egress: facts.hasEgress,
    limits: { memory: true, processes: facts.isShared || !facts.isRoot, disk: false, cpu: false },
    notes: notesOf(facts),
  };
}

function notesOf({ cwd, limits, isShared, isRoot, hasEgress }: IsolatedFacts): string[] {
  const { memoryMb, processes, fileMb } = limits;
  const each = isShared ? "together" : "for each process";
  return [
    `Commands are isolated: they see the programs in /usr and can write only in ${cwd}, /tmp and ${HOME}.`,
    `Each command runs in a fresh shell, with a /tmp and a ${HOME} of its own that are gone when it ends: keep files in ${cwd}.`,
    hasEgress
      ? "The network is a proxy that allows only named hosts (HTTP_PROXY is set). Programs that do not use it have no network."
      : "There is no network.",
    "Nobody here may change .git/hooks, .git/config, .npmrc, .envrc, .vscode, .claude and other files that programs outside would run.",
    `Limits: ${memoryMb} MiB of memory ${each}, ${isShared || !isRoot ? `${processes} processes, ` : ""}${fileMb} MiB for a file.`,
    "sudo, ptrace (gdb, strace), Unix sockets by name, mounts and containers do not work here.",
  ];
}

export function summaryOf({ cwd, hasEgress }: IsolatedFacts): string {
  const network = hasEgress ? "the network that a policy allows" : "no network";
  return `isolated: real commands that can write only in ${cwd}, with ${network}; writes are not held back`;
}
