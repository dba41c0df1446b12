/** The virtual sandbox: a simulated shell in a process of its own, over files in memory or over a folder that it cannot change. */

import { realpath, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { HaftError } from "../../base/errors.ts";
import type { EgressPolicy } from "../../core/egress.ts";
import type { Sandbox, SandboxProvider } from "../../core/sandbox.ts";
import type { Secrets } from "../../core/secrets.ts";
import { explainFileError, fileError } from "../files/file-error.ts";
import { checkedEnvironment } from "../process/environment.ts";
import { capabilitiesOf, type MountMode, summaryOf } from "./capabilities.ts";
import { HostFolder } from "./host-folder.ts";
import { HOME, placedPath, TMP } from "./places.ts";
import { ShellFiles } from "./shell-files.ts";
import { ShellPool } from "./shell-pool.ts";
import { Space } from "./space.ts";
import { Tree } from "./tree.ts";
import { TreeEdits } from "./tree-edits.ts";
import { VirtualSandbox } from "./virtual-sandbox.ts";

export interface VirtualOptions {
  /** A folder of the host. It appears as `/workspace`, which is the sandbox's cwd. Nothing beside it can be seen. */
  cwd?: string;
  /**
   * - `overlay` (default with `cwd`): read from the host, writes held in memory until `diff().apply()`.
   * - `ro`: read from the host, writes refused with EROFS.
   * - `none` (default without `cwd`): an empty `/workspace` in memory.
   */
  mount?: MountMode;
  /** Files to begin with: relative to `/workspace`, or absolute. In an overlay they count as written. */
  files?: Record<string, string | Uint8Array>;
  /** The environment of every command, beside HOME, USER and TMPDIR. No variable of this process reaches a command. */
  env?: Record<string, string>;
  /** Default for a command. 120,000 when it is left out. */
  timeoutMs?: number;
  /** The memory of a command, and, apart from it, of all that is written. Default 256. */
  memoryMb?: number;
  /**
   * What the simulated curl may reach: a policy of `egress()`. Requests are made by this process, outside of the shell.
   * Default: there is no network, and no curl.
   */
  egress?: EgressPolicy;
  /** Where the policy's `headers` have their values from. They never enter the shell, and are taken out of answers. */
  secrets?: Pick<Secrets, "get">;
}

const DEFAULT_MEMORY_MB = 256;

/**
 * Opens a sandbox with a simulated bash. Needs the package `just-bash`.
 *
 * @throws HaftError SANDBOX_MISSING without just-bash; ENOENT or ENOTDIR for a `cwd` that is no folder; EINVAL for
 * `mount` without `cwd`, for `env` that cannot be set, for `memoryMb` below 16; EGRESS_INVALID for headers of `egress`
 * whose secrets are missing or cannot be used; what `writeFile` throws, for `files`.
 */
export async function virtual(options: VirtualOptions = {}): Promise<Sandbox> {
  return openVirtual(options);
}

/** `reason`: why it is this kind, for its summary, where somebody else has chosen. */
export async function openVirtual(options: VirtualOptions, reason?: string): Promise<Sandbox> {
  requireShell();
  const mount = options.mount ?? (options.cwd === undefined ? "none" : "overlay");
  const root = mount === "none" ? undefined : await mountedFolder(options.cwd, mount);
  const memoryMb = checkedMemory(options.memoryMb ?? DEFAULT_MEMORY_MB);
  const { egress: policy, secrets } = options;
  const network = policy && (await import("./shell-network.ts")).shellNetwork(policy, secrets);

  const tree = new Tree(root === undefined ? undefined : new HostFolder(root));
  const edits = new TreeEdits(tree, new Space(memoryMb * 1024 * 1024));
  for (const [path, content] of Object.entries(options.files ?? {})) {
    await edits.write(placedPath(path), typeof content === "string" ? Buffer.from(content) : content, {
      createParents: true,
    });
  }
  tree.isReadOnly = mount === "ro";

  return new VirtualSandbox({
    pool: new ShellPool(new ShellFiles(tree, edits), memoryMb),
    env: { HOME, USER: "user", TMPDIR: TMP, ...checkedEnvironment(options.env ?? {}) },
    timeoutMs: options.timeoutMs,
    network,
    capabilities: capabilitiesOf(mount, policy),
    summary: [summaryOf(mount, root), ...(reason === undefined ? [] : [reason])].join("; "),
    ...{ tree, edits },
  });
}

/** Makes virtual sandboxes that share their options. */
export function virtualProvider(options: Omit<VirtualOptions, "cwd"> = {}): SandboxProvider {
  return { kind: "virtual", create: ({ cwd }) => virtual({ ...options, cwd }), check };
}

async function check(): Promise<{ ok: boolean; problems: string[] }> {
  return hasShell() ? { ok: true, problems: [] } : { ok: false, problems: [MISSING] };
}

const MISSING = "The virtual sandbox needs the package just-bash, which is not installed: npm install just-bash";

function requireShell(): void {
  if (hasShell()) return;
  throw new HaftError("SANDBOX_MISSING", "The virtual sandbox needs the package just-bash, which is not installed.", {
    hint: "npm install just-bash",
  });
}

/** Looked up, not loaded: only the process of a shell loads it, for the first command. */
function hasShell(): boolean {
  try {
    createRequire(import.meta.url).resolve("just-bash");
    return true;
  } catch {
    return false;
  }
}

async function mountedFolder(cwd: string | undefined, mount: MountMode): Promise<string> {
  if (cwd === undefined) {
    throw new HaftError("EINVAL", `The mount "${mount}" needs a folder of the host.`, {
      hint: 'Set cwd, or mount: "none".',
    });
  }
  try {
    if (!(await stat(cwd)).isDirectory()) throw fileError("ENOTDIR", cwd, { problem: "is not a folder" });
    return await realpath(cwd);
  } catch (thrown) {
    throw explainFileError(thrown, cwd);
  }
}

function checkedMemory(memoryMb: number): number {
  if (memoryMb >= 16) return memoryMb;
  throw new HaftError("EINVAL", `memoryMb is ${memoryMb}, and must be at least 16.`, { hint: "Leave it out for 256." });
}
