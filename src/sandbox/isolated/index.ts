/** The isolated sandbox: real commands in Linux namespaces of their own, made by bubblewrap. */
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { HaftError } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import type { EgressPolicy } from "../../core/egress.ts";
import type { Sandbox, SandboxProvider } from "../../core/sandbox.ts";
import { refuseHeaders } from "../egress/refuse-headers.ts";
import { ConfinedRoot, type RootPolicy } from "../files/confined-root.ts";
import { defaultPinning, type Owner } from "../files/pinned-dir.ts";
import { realFolder } from "../files/real-folder.ts";
import { HostSandbox } from "../host-sandbox.ts";
import { CALM, checkedEnvironment } from "../process/environment.ts";
import { DEFAULT_PATH } from "../process/find-program.ts";
import { bubblewrap } from "./bubblewrap.ts";
import { capabilitiesOf, summaryOf } from "./capabilities.ts";
import { type Isolation, isolationHere } from "./check.ts";
import { openCommandNetwork, type RelayPrograms } from "./command-network.ts";
import { ControlGroup } from "./control-group.ts";
import { checkedLimits, type IsolatedLimits } from "./limits.ts";
import { checkedMounts, type IsolatedMount, type Mount, workspaceMount } from "./mounts.ts";
import type { Programs } from "./programs.ts";
import { ProtectedFolder } from "./protected-folder.ts";
import { refuseProtected } from "./protected-names.ts";
import { seccompFilter } from "./seccomp-filter.ts";
import { HOME, type RootKind, visibleRoot } from "./visible-root.ts";

export type { IsolatedLimits } from "./limits.ts";
export type { IsolatedMount } from "./mounts.ts";

export interface IsolatedOptions {
  /** The workspace: the only folder of the machine that commands and the file API can write. It keeps its path. */
  cwd: string;
  /** Added to the environment of every command, beside PATH, HOME, USER and the like. No variable of this process reaches a command. */
  env?: Record<string, string>;
  /**
   * What commands see of the machine beside `cwd`.
   * - `minimal` (default): /usr, the links into it, and what programs need of /etc.
   * - `host`: all of it, read-only, without homes, /run, /tmp, /mnt, passwords and the like. Not where root runs the commands.
   */
  root?: "minimal" | "host";
  /** More folders and files of the machine, for commands only; the file API stays in `cwd`. */
  mounts?: IsolatedMount[];
  limits?: IsolatedLimits;
  /** What commands may reach over the network, as HTTP through a proxy. Without it there is no network. Needs socat. */
  egress?: EgressPolicy;
  /**
   * Who runs the commands outside, by number; only for a program that runs as root. Default: the owner of `cwd`. New files of
   * the file API belong to the same user.
   */
  user?: { uid: number; gid: number };
}

/**
 * Opens a sandbox whose commands are real, and isolated: files, processes, network and environment of the machine are
 * not there. Linux only; needs bubblewrap.
 *
 * @throws HaftError SANDBOX_UNAVAILABLE where commands cannot be isolated, and says what to install or allow; ENOENT or
 * ENOTDIR for a `cwd` that is no folder; EINVAL for an option that cannot be; EGRESS_UNSUPPORTED for a policy with headers; EPERM for `user` where this is not root.
 */
export async function isolated(options: IsolatedOptions): Promise<Sandbox> {
  if (options.egress) refuseHeaders(options.egress);
  const isolation = await isolationHere();
  const programs = isolation.programs ?? refuse(isolation.problems);
  if (options.egress && isolation.egressProblems.length > 0) refuse(isolation.egressProblems);

  const given = resolve(options.cwd);
  const cwd = await realFolder(given);
  const user = await runningUser(options, cwd, programs);
  const isRoot = process.getuid?.() === 0 && !user;
  const mounts = [workspaceMount(cwd), ...checkedMounts(options.mounts ?? [], cwd)];
  const limits = checkedLimits(options.limits);
  const env = { ...BASE_ENV, ...CALM, ...checkedEnvironment(options.env ?? {}) };
  const root = visibleRoot(checkedRoot(options.root ?? "minimal", isRoot));
  const filter = seccompFilter()!;
  const controlGroup = ControlGroup.create(limits);
  const folders = mounts.filter(({ mode }) => mode === "rw").map(({ host }) => ProtectedFolder.open(host));
  const facts = { cwd, limits, isShared: controlGroup !== undefined, isRoot, hasEgress: options.egress !== undefined };
  const id = newId("sandbox");

  return new HostSandbox({
    ...{ id, kind: "isolated", env },
    root: new ConfinedRoot(cwd, given, defaultPinning, policyOf(mounts, folders[0]!, user)),
    containment: bubblewrap({
      ...{ programs, root, mounts, limits, controlGroup, user, isRoot, folders, filter },
      network: options.egress && networkOf(options.egress, id, programs, user),
    }),
    capabilities: capabilitiesOf(facts),
    summary: summaryOf(facts),
    async close() {
      for (const folder of folders) folder.close();
      await controlGroup?.remove();
    },
  });
}

/** Makes isolated sandboxes that share their options. `check` tells what is missing, also of what only egress needs. */
export function isolatedProvider(options: Omit<IsolatedOptions, "cwd"> = {}): SandboxProvider {
  return { kind: "isolated", create: ({ cwd }) => isolated({ ...options, cwd }), check };
}

async function check(): Promise<{ ok: boolean; problems: string[] }> {
  const { programs, problems, egressProblems } = await isolationHere();
  return { ok: programs !== undefined, problems: [...problems, ...egressProblems] };
}

const BASE_ENV = { PATH: DEFAULT_PATH, HOME, USER: "agent", LOGNAME: "agent", LANG: "C.UTF-8", TMPDIR: "/tmp" };

function refuse(problems: Isolation["problems"]): never {
  throw new HaftError("SANDBOX_UNAVAILABLE", `Commands cannot be isolated here. ${problems.join(" ")}`, {
    hint: 'Install or allow what is missing, or use the sandbox "virtual", which needs nothing of the machine.',
    data: { problems },
  });
}

function policyOf(mounts: readonly Mount[], folder: ProtectedFolder, owner: Owner | undefined): RootPolicy {
  const [workspace, ...others] = mounts as [Mount, ...Mount[]];
  const readOnly = others.filter(({ mode }) => mode === "ro").map(({ path }) => path);
  return {
    ...(owner && { owner }),
    refuseChange: (place, shown) =>
      refuseProtected(
        [workspace.path],
        [...folder.current.readOnly, ...folder.current.covered, ...readOnly],
        place,
        shown,
      ),
  };
}

/** Of root's program, the owner of the workspace runs the commands: root has no business there, and could not be held. */
async function runningUser({ user }: IsolatedOptions, cwd: string, { setpriv }: Programs) {
  if (process.getuid?.() !== 0) {
    if (!user) return undefined;
    throw new HaftError("EPERM", "Only a program that runs as root can have its commands run by another user.", {
      hint: "Leave user out.",
    });
  }
  const { uid, gid } = user ?? (await stat(cwd));
  for (const id of [uid, gid]) {
    if (Number.isSafeInteger(id) && id >= 0) continue;
    throw new HaftError("EINVAL", "user must have a uid and a gid, whole numbers from 0.", { hint: "Give both." });
  }
  if (uid === 0) return undefined;
  if (!setpriv) refuse(["setpriv (util-linux) is not installed: apt-get install util-linux."]);
  return { uid, gid };
}

function checkedRoot(root: RootKind, isRoot: boolean): RootKind {
  if (root !== "minimal" && root !== "host") {
    throw new HaftError("EINVAL", `root is ${JSON.stringify(root)}, and must be "minimal" or "host".`, {
      hint: 'Leave it out for "minimal".',
    });
  }
  if (root === "minimal" || !isRoot) return root;
  throw new HaftError("EINVAL", 'root: "host" would show commands every file that root may read.', {
    hint: "Set user to somebody who is not root, or mount what is needed.",
  });
}

function networkOf(
  policy: EgressPolicy,
  sandbox: string,
  { nsenter, setpriv, socat }: Programs,
  user: Owner | undefined,
) {
  const programs: RelayPrograms = { nsenter: nsenter!, setpriv: setpriv!, socat: socat! };
  const owner = user ?? { uid: process.getuid!(), gid: process.getgid!() };
  return () => openCommandNetwork({ policy, sandbox, programs, owner });
}
