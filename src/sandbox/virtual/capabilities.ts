/** What a virtual sandbox can do, and what a model has to know about its shell. */

import type { EgressPolicy } from "../../core/egress.ts";
import type { SandboxCapabilities } from "../../core/sandbox.ts";
import { reachNotes } from "../egress/reach-notes.ts";

export type MountMode = "overlay" | "ro" | "none";

const FILES: Record<MountMode, string> = {
  overlay:
    "Files are read from a folder of the host; what you write is held back from it until it is applied. Symbolic links are not.",
  ro: "The files in /workspace are a folder of the host and read only: a redirection into it ends the command. /tmp can be written.",
  none: "All files are in memory, and are gone when the sandbox is closed.",
};

const COMMANDS =
  "The shell is a simulated bash with about 80 commands, among them cat, grep, sed, awk, jq, yq, find, sort, diff, tar, gzip and sqlite3.";
const CURL =
  "It follows redirects by itself, sends text (a file that is not UTF-8 arrives changed), and knows only the common options.";

const SHELL = [
  "Each command starts in a new shell. Output arrives when the command ends; nothing goes on in the background.",
  "Output is text: bytes that are not UTF-8 come out changed, so write them to a file.",
  "rg is slow on many files: use grep -rn, or the tools for searching.",
];

export function capabilitiesOf(mount: MountMode, policy?: EgressPolicy): SandboxCapabilities {
  return {
    realProcesses: false,
    streaming: false,
    byteOutput: false,
    background: false,
    overlay: mount === "overlay",
    mount: "create",
    isolates: { files: true, network: true, processes: true },
    egress: policy !== undefined,
    limits: { memory: true, processes: true, disk: true, cpu: false },
    notes: [FILES[mount], COMMANDS, ...networkNotes(policy), ...SHELL],
  };
}

function networkNotes(policy: EgressPolicy | undefined): string[] {
  const missing = (fetcher: string, network: string) =>
    `There is no git, node, npm, python, make, patch, ${fetcher}, mktemp, ps, kill, id, uname or dd, no trap, ${network}and no program of the machine.`;
  if (policy === undefined) return [missing("curl", "no network, ")];
  return [missing("wget", ""), `curl is the only way to the network. It ${reachNotes(policy)}. ${CURL}`];
}

export function summaryOf(mount: MountMode, host: string | undefined): string {
  if (mount === "overlay")
    return `virtual overlay of ${host}: a simulated shell; writes are held back until you apply them`;
  if (mount === "ro") return `virtual, ${host} read only: a simulated shell; nothing can be written there`;
  return "virtual, in memory: a simulated shell; nothing of the host can be seen";
}
