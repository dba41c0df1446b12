/** The local sandbox: this machine, named explicitly. Its file API is confined to a folder; its commands are not. */
import { resolve } from "node:path";
import { HaftError } from "../../base/errors.ts";
import type { EgressPolicy } from "../../core/egress.ts";
import type { Sandbox, SandboxProvider } from "../../core/sandbox.ts";
import { ConfinedRoot } from "../files/confined-root.ts";
import { realFolder } from "../files/real-folder.ts";
import { sandboxEnvironment } from "../process/environment.ts";
import { detectPidNamespace } from "../process/pid-namespace.ts";
import { processGroup } from "../process/process-group.ts";
import { LocalSandbox } from "./local-sandbox.ts";

export interface LocalOptions {
  /** The folder that the file API is confined to, and where commands start. Must exist. */
  cwd: string;
  /** Added to the environment of every command. */
  env?: Record<string, string>;
  /**
   * Variables of this process that commands get too, beside PATH, LANG, LC_ALL, LC_CTYPE, TZ, TMPDIR, HOME, USER,
   * LOGNAME and SHELL. No other variable of this process reaches a command.
   */
  keepEnv?: string[];
  /** Always refused, with EGRESS_UNSUPPORTED: nothing here could keep commands to a policy. */
  egress?: EgressPolicy;
}

/**
 * Opens a sandbox on this machine. **Commands are not isolated**: they have your rights and your network.
 *
 * A command's process tree ends with it, also when this process is killed: by a pid namespace where the machine allows
 * one (Linux), else by its process group and a marker in its environment (HAFT_EXEC).
 *
 * @throws HaftError ENOENT or ENOTDIR for a `cwd` that is no folder, EINVAL for an `env` that cannot be set,
 * SANDBOX_UNSUPPORTED on Windows, EGRESS_UNSUPPORTED for a policy.
 */
export async function local(options: LocalOptions): Promise<Sandbox> {
  refuseWindows();
  refuseEgress(options.egress);
  const env = sandboxEnvironment(options.keepEnv, options.env);
  const given = resolve(options.cwd);
  const root = new ConfinedRoot(await realFolder(given), given);
  const containment = (await detectPidNamespace()) ?? processGroup;
  return new LocalSandbox({ root, env, containment });
}

/** Makes local sandboxes that share an environment. */
export function localProvider(options: Omit<LocalOptions, "cwd"> = {}): SandboxProvider {
  return { kind: "local", create: ({ cwd }) => local({ ...options, cwd }), check };
}

async function check(): Promise<{ ok: boolean; problems: string[] }> {
  if (process.platform === "win32") return { ok: false, problems: [WINDOWS] };
  if (process.platform !== "linux" || (await detectPidNamespace())) return { ok: true, problems: [] };
  const problem =
    "No pid namespace can be made here, so a command that leaves its group and empties its environment can outlive its " +
    "call. Install util-linux and bash, and allow user namespaces (sysctl kernel.unprivileged_userns_clone, or " +
    "kernel.apparmor_restrict_unprivileged_userns=0), to close that gap.";
  return { ok: true, problems: [problem] };
}

const WINDOWS = "The local sandbox needs a POSIX system. On Windows, run inside WSL.";

function refuseWindows(): void {
  if (process.platform !== "win32") return;
  throw new HaftError("SANDBOX_UNSUPPORTED", WINDOWS, { hint: "Use the virtual sandbox, or run inside WSL." });
}

function refuseEgress(egress: EgressPolicy | undefined): void {
  if (!egress) return;
  throw new HaftError(
    "EGRESS_UNSUPPORTED",
    "The local sandbox cannot hold commands to an egress policy: they have your network.",
    { hint: "Use the isolated sandbox, or leave the policy out." },
  );
}
