/** Whether commands can be isolated here: the programs are there, they are new enough, and the kernel lets them. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { messageOf } from "../../base/errors.ts";
import { type FoundPrograms, findPrograms, type Programs } from "./programs.ts";
import { seccompFilter } from "./seccomp-filter.ts";

export interface Isolation {
  /** Undefined where commands cannot be isolated; then `problems` says why. */
  programs: Programs | undefined;
  problems: string[];
  /** What only an egress policy needs, and is missing. Empty when nothing is. */
  egressProblems: string[];
}

/** The first with `--size`, which bounds what a command keeps in memory as files. */
const OLDEST = [0, 7, 0];
const INSTALL = "apt-get install bubblewrap socat (Debian, Ubuntu), dnf install bubblewrap socat (Fedora)";
const PROBE_TIMEOUT_MS = 10_000;

let known: Promise<Isolation> | undefined;

/** Tried once per process. What went wrong is tried again, so that what was installed meanwhile is found. */
export async function isolationHere(): Promise<Isolation> {
  known ??= checkIsolation();
  const isolation = await known;
  if (!isolation.programs) known = undefined;
  return isolation;
}

/** `path`: where programs are looked for. Default: the system's own folders. */
export async function checkIsolation(path?: string): Promise<Isolation> {
  if (process.platform !== "linux") return notPossible(`Isolation needs Linux, and this is ${process.platform}.`);
  const found = await findPrograms(path);
  const egressProblems = missingForEgress(found);
  const { bwrap, bash } = found;
  if (!bwrap) return notPossible(`bubblewrap is not installed: ${INSTALL}.`, egressProblems);
  if (!bash) return notPossible("bash is not installed: apt-get install bash.", egressProblems);
  if (!seccompFilter()) {
    return notPossible(`The system calls of this processor (${process.arch}) are not known here: x64 and arm64 are.`);
  }
  const problem = (await versionProblem(bwrap)) ?? (await startProblem(bwrap));
  if (problem) return notPossible(problem, egressProblems);
  return { programs: { ...found, bwrap, bash }, problems: [], egressProblems };
}

function notPossible(problem: string, egressProblems: string[] = []): Isolation {
  return { programs: undefined, problems: [problem], egressProblems };
}

function missingForEgress({ socat, nsenter, setpriv }: FoundPrograms): string[] {
  const missing = [!socat && "socat", !nsenter && "nsenter (util-linux)", !setpriv && "setpriv (util-linux)"];
  const names = missing.filter((name) => name !== false);
  if (names.length === 0) return [];
  return [`An egress policy needs ${names.join(" and ")}, which is not installed: apt-get install socat util-linux.`];
}

async function versionProblem(bwrap: string): Promise<string | undefined> {
  const said = await run(bwrap, ["--version"]);
  const version = /(\d+)\.(\d+)(?:\.(\d+))?/
    .exec(said.text)
    ?.slice(1)
    .map((part) => Number(part ?? 0));
  if (!version) return `${bwrap} does not say which version it is: ${said.text.trim() || "it said nothing"}.`;
  const at = version.findIndex((part, index) => part !== OLDEST[index]);
  if (at < 0 || version[at]! > OLDEST[at]!) return undefined;
  return `bubblewrap ${version.join(".")} is too old: ${OLDEST.join(".")} or newer is needed. Update the system, or install a newer one in /usr/local/bin.`;
}

/** Makes the namespaces once, as for a command, and reads what stands in the way. */
async function startProblem(bwrap: string): Promise<string | undefined> {
  const namespaces = ["--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"];
  const root = ["--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--uid", "1000", "--gid", "1000"];
  const { ok, text } = await run(bwrap, [...namespaces, ...root, "--", "/bin/sh", "-c", "exit 0"]);
  return ok ? undefined : explained(text);
}

function explained(text: string): string {
  const said = text.trim().split("\n").pop() || "bwrap said nothing";
  return `bubblewrap cannot make its namespaces here (${said}). ${reasonFor(text)}`;
}

function reasonFor(text: string): string {
  if (/mount proc/i.test(text)) {
    return "This is a container that hides parts of /proc. Start it with --security-opt systempaths=unconfined, or use the virtual sandbox.";
  }
  if (/uid map|setting up/i.test(text)) {
    return "AppArmor restricts user namespaces (Ubuntu 23.10 and newer): sysctl kernel.apparmor_restrict_unprivileged_userns=0, or a profile for /usr/bin/bwrap.";
  }
  if (/namespace|permission|permitted|no space/i.test(text)) {
    return (
      "User namespaces are forbidden. On a machine of your own: sysctl user.max_user_namespaces=15000, " +
      "kernel.unprivileged_userns_clone=1 (Debian), kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu). In a container: " +
      "start it with a seccomp profile that allows unshare, or use the virtual sandbox."
    );
  }
  return "See docs/errors/SANDBOX_UNAVAILABLE.md.";
}

async function run(program: string, args: string[]): Promise<{ ok: boolean; text: string }> {
  try {
    const { stdout, stderr } = await promisify(execFile)(program, args, {
      env: {},
      cwd: "/",
      timeout: PROBE_TIMEOUT_MS,
    });
    return { ok: true, text: stdout + stderr };
  } catch (thrown) {
    const { stderr } = thrown as { stderr?: string };
    return { ok: false, text: stderr || messageOf(thrown) };
  }
}
