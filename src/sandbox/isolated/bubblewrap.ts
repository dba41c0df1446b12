/** Holds one command in namespaces of its own, made by bubblewrap: what it is started with, and how it is ended. */
import type { ChildProcess } from "node:child_process";
import type { Writable } from "node:stream";
import type { ExecResult } from "../../core/sandbox.ts";
import { type Containment, type Hold, type HoldRequest, type Outcome, sendSignal } from "../process/containment.ts";
import { firstChild } from "../process/pid-namespace.ts";
import { supervisedOutcome, supervisorArgv } from "../process/supervisor.ts";
import type { CommandNetwork } from "./command-network.ts";
import type { ControlGroup } from "./control-group.ts";
import { type CheckedLimits, processUlimit, ulimits } from "./limits.ts";
import { type Mount, mountArgs, type ProtectedMount } from "./mounts.ts";
import type { Programs } from "./programs.ts";
import type { ProtectedFolder, Protection } from "./protected-folder.ts";
import { privateArgs, type VisibleRoot } from "./visible-root.ts";

export interface BubblewrapParts {
  programs: Programs;
  root: VisibleRoot;
  mounts: readonly Mount[];
  /** Of those that can be written, in the same order. */
  folders: readonly ProtectedFolder[];
  limits: CheckedLimits;
  filter: Uint8Array;
  controlGroup: ControlGroup | undefined;
  /** Who runs the commands outside, where that is not the user of this process. */
  user: { uid: number; gid: number } | undefined;
  /** Outside, the commands are root's. */
  isRoot: boolean;
  /** Opens the network for one command; undefined is no network. */
  network: (() => Promise<CommandNetwork>) | undefined;
}

/** The descriptors that bwrap gets beside those of the command, in this order from 4 on. */
const ARGS_FD = 4;
const FILTER_FD = 5;
const FIRST_FILE_FD = 6;
/** Then come the made files, and with a network the two by which bwrap is held up. */

/** A user of its own, without a name in the sandbox's other user namespaces. */
const NAMESPACES = [
  ...["--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"],
  ...["--die-with-parent", "--new-session", "--as-pid-1", "--cap-drop", "ALL"],
  ...["--hostname", "sandbox", "--uid", "1000", "--gid", "1000", "--clearenv"],
];

/** Lines of bash. Node starts programs with every descriptor that it was itself started with, above the first gap. */
const CLOSE_OTHERS = (first: number) =>
  `for fd in /proc/self/fd/*; do fd=\${fd##*/}; if [ "$fd" -ge ${first} ]; then eval "exec $fd>&-"; fi; done; `;

export function bubblewrap(parts: BubblewrapParts): Containment {
  const same = sameForAll(parts);
  return {
    kind: "bubblewrap",
    async hold(request) {
      const network = await parts.network?.();
      return new BubblewrapHold(parts, same, request, network);
    },
  };
}

/** What is the same for every command of a sandbox. */
interface SameForAll {
  /** Lines of the shell outside, after those that close descriptors. */
  setUp: string;
  /** The first arguments of bwrap. */
  args: readonly string[];
}

function sameForAll({ root, limits, controlGroup, isRoot }: BubblewrapParts): SameForAll {
  return {
    setUp: ulimits(limits, controlGroup !== undefined) + (controlGroup?.enter ?? ""),
    args: [
      ...NAMESPACES,
      ...root.args,
      ...privateArgs(limits.tmpMb * 1024 * 1024, isRoot),
      ...root.files.flatMap(({ path }, at) => ["--perms", "0444", "--file", String(FIRST_FILE_FD + at), path]),
    ],
  };
}

class BubblewrapHold implements Hold {
  readonly argv: readonly string[];
  /** bwrap itself is outside, and gets nothing: what the command gets is among its arguments. */
  readonly env = {};
  readonly supervised = true;
  readonly morePipes: number;
  readonly #parts: BubblewrapParts;
  readonly #same: SameForAll;
  readonly #request: HoldRequest;
  readonly #network: CommandNetwork | undefined;
  #entered: readonly ProtectedFolder[] = [];
  readonly #infoFd: number;
  #pid = 0;
  #pipes: readonly Writable[] = [];

  constructor(parts: BubblewrapParts, same: SameForAll, request: HoldRequest, network: CommandNetwork | undefined) {
    this.#parts = parts;
    this.#same = same;
    this.#request = request;
    this.#network = network;
    this.#infoFd = FIRST_FILE_FD + parts.root.files.length;
    this.morePipes = this.#infoFd + (network ? 2 : 0) - ARGS_FD;
    this.argv = [...this.#outside(), ...this.#bwrap(), ...this.#supervisor(), ...request.command];
  }

  /**
   * What is to be protected is looked at only now, while the shell outside starts: bwrap waits for its arguments. Should
   * this program be killed before they are sent, the root that bwrap makes is empty, and nothing can start in it.
   */
  started(child: ChildProcess): void {
    this.#pid = child.pid ?? 0;
    this.#pipes = child.stdio.slice(ARGS_FD) as Writable[];
    send(child, ARGS_FD, `${this.#args().join("\0")}\0`);
    send(child, FILTER_FD, this.#parts.filter);
    for (const [at, { text }] of this.#parts.root.files.entries()) send(child, FIRST_FILE_FD + at, text);
    this.#network?.connect(child, this.#infoFd, this.#infoFd + 1);
  }

  /** SIGTERM reaches the command's group, SIGKILL pid 1: bwrap ends only when the namespace is gone. */
  signal(signal: "SIGTERM" | "SIGKILL"): void {
    if (this.#pid === 0) return;
    const init = this.#network?.isOpen === false ? undefined : firstChild(this.#pid);
    if (init === undefined) sendSignal(-this.#pid, signal);
    else sendSignal(signal === "SIGTERM" ? -init : init, signal);
  }

  async release(): Promise<void> {
    for (const pipe of this.#pipes) pipe.destroy();
    for (const folder of this.#entered) folder.leave();
    this.#entered = [];
    await this.#network?.close();
  }

  outcome(exitCode: number | null, signal: string | null, supervisorText: string): Outcome {
    const failure = this.#network?.failure;
    if (failure !== undefined) return { status: "spawn_error", error: failure };
    return supervisedOutcome(exitCode, signal, supervisorText);
  }

  findings(): Pick<ExecResult, "egressDenied"> {
    return this.#network ? { egressDenied: [...this.#network.denied] } : {};
  }

  /** Closes what this program was given open by its own parent, sets limits, enters the control group and changes the user. */
  #outside(): string[] {
    const { programs, user } = this.#parts;
    const script = `${CLOSE_OTHERS(ARGS_FD + this.morePipes)}${this.#same.setUp}exec "$@"`;
    const shell = [programs.bash, "--norc", "--noprofile", "-p", "-c", script, "bash"];
    if (!user) return shell;
    return [...shell, programs.setpriv!, "--reuid", String(user.uid), "--regid", String(user.gid), "--clear-groups"];
  }

  /** All else is read from a descriptor: the arguments of a process can be read by every user of the machine. */
  #bwrap(): string[] {
    const network = this.#network
      ? ["--info-fd", String(this.#infoFd), "--userns-block-fd", String(this.#infoFd + 1)]
      : [];
    return [this.#parts.programs.bwrap, "--args", String(ARGS_FD), "--seccomp", String(FILTER_FD), ...network, "--"];
  }

  #supervisor(): string[] {
    const { programs, limits, controlGroup } = this.#parts;
    return supervisorArgv(programs, this.#env(), processUlimit(limits, controlGroup !== undefined));
  }

  #args(): string[] {
    this.#entered = this.#parts.folders;
    const protections = this.#entered.map((folder) => folder.enter());
    const mounts = this.#parts.mounts.map((mount) =>
      mount.mode === "ro" ? mount : withProtection(mount, protections.shift()),
    );
    return [
      ...this.#same.args,
      ...mountArgs(mounts),
      ...["--remount-ro", "/", "--chdir", this.#request.cwd],
      ...Object.entries(this.#env()).flatMap(([name, value]) => ["--setenv", name, value]),
    ];
  }

  #env(): Readonly<Record<string, string>> {
    return { ...this.#request.env, ...this.#network?.env };
  }
}

function withProtection(mount: Mount, protection: Protection | undefined): ProtectedMount {
  return protection ? { ...mount, protection } : mount;
}

/** bwrap may end before it has read all: its own words say why. */
function send(child: ChildProcess, fd: number, data: string | Uint8Array): void {
  const pipe = child.stdio[fd] as Writable;
  pipe.on("error", () => {});
  pipe.end(data);
}
