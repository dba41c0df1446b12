/** Files in a tree, commands in a simulated shell: a sandbox that needs nothing of the machine and leaves nothing on it. */

import { HaftError } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import type {
  Changes,
  DirEntry,
  ExecHandle,
  ExecOptions,
  ExecResult,
  FileStat,
  GlobQuery,
  GlobResult,
  GrepQuery,
  GrepResult,
  ReadFileOptions,
  Sandbox,
  SandboxCapabilities,
  WriteFileOptions,
} from "../../core/sandbox.ts";
import { fileError } from "../files/file-error.ts";
import { checkedEnvironment } from "../process/environment.ts";
import { type Command, checkCommand, checkedLimits } from "../process/exec-request.ts";
import { globFiles, grepFiles, type SearchFs } from "../search/index.ts";
import { collectChanges } from "./changes.ts";
import { placedPath, WORKSPACE } from "./places.ts";
import { runInShell } from "./shell-exec.ts";
import type { ShellNetwork } from "./shell-network.ts";
import type { ShellPool } from "./shell-pool.ts";
import type { Tree } from "./tree.ts";
import type { TreeEdits } from "./tree-edits.ts";

export interface VirtualSandboxParts {
  tree: Tree;
  edits: TreeEdits;
  pool: ShellPool;
  env: Record<string, string>;
  timeoutMs: number | undefined;
  network: ShellNetwork | undefined;
  capabilities: SandboxCapabilities;
  summary: string;
}

const DEFAULT_MAX_BYTES = 50 * 1024 * 1024;

export class VirtualSandbox implements Sandbox {
  readonly id = newId("sandbox");
  readonly kind = "virtual";
  readonly cwd = WORKSPACE;
  readonly capabilities: SandboxCapabilities;
  readonly summary: string;
  readonly diff: (() => Promise<Changes>) | undefined;
  readonly #parts: VirtualSandboxParts;
  readonly #search: SearchFs;
  #isDisposed = false;

  constructor(parts: VirtualSandboxParts) {
    this.#parts = parts;
    this.capabilities = parts.capabilities;
    this.summary = parts.summary;
    this.#search = searchFsOf(parts.tree);
    const diff = () => collectChanges(parts.tree, parts.edits);
    this.diff = parts.capabilities.overlay ? diff : undefined;
  }

  async readFile(path: string, options: ReadFileOptions = {}): Promise<Uint8Array> {
    options.abortSignal?.throwIfAborted();
    const { tree } = this.#usable;
    const at = placedPath(path);
    const offset = wholeNumber("offset", options.offset ?? 0);
    const length = options.length === undefined ? undefined : wholeNumber("length", options.length);
    const available = Math.max(0, tree.statOf(tree.file(at)).size - offset);
    const max = options.maxBytes ?? DEFAULT_MAX_BYTES;
    if (length === undefined && available > max) {
      throw fileError("EFBIG", path, { problem: `has ${available} bytes to read, and ${max} is the limit` });
    }
    return tree.read(at, offset, length);
  }

  async writeFile(path: string, data: Uint8Array, options: WriteFileOptions = {}): Promise<void> {
    const { tree, edits } = this.#usable;
    const { mode, ifMatch } = options;
    const at = placedPath(path);
    await edits.write(at, data, {
      mode,
      createParents: true,
      check: (current) => {
        if (ifMatch === undefined) return;
        if (ifMatch === "absent") {
          if (current) throw fileError("EEXIST", path);
          return;
        }
        if (!current) throw fileError("ESTALE", path, { problem: "is gone since it was read" });
        const now = tree.statOf(current);
        if (now.mtimeMs !== ifMatch.mtimeMs || now.size !== ifMatch.size) throw fileError("ESTALE", path);
      },
    });
  }

  async stat(path: string, options: { followSymlinks?: boolean } = {}): Promise<FileStat> {
    return this.#usable.tree.stat(placedPath(path), options.followSymlinks ?? true);
  }

  async list(path: string): Promise<DirEntry[]> {
    return this.#usable.tree.list(placedPath(path));
  }

  async mkdir(path: string): Promise<void> {
    await this.#usable.edits.mkdir(placedPath(path), true);
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#usable.edits.rename(placedPath(from), placedPath(to), true);
  }

  async remove(path: string, options: { recursive?: boolean } = {}): Promise<void> {
    const { tree, edits } = this.#usable;
    const at = placedPath(path);
    if (!options.recursive && tree.stat(at, false).type === "dir") {
      throw fileError("EISDIR", path, {
        problem: "is a folder",
        hint: "Set recursive to true to remove it with all it holds.",
      });
    }
    await edits.remove(at, options.recursive ?? false);
  }

  async glob(query: GlobQuery): Promise<GlobResult> {
    this.#usable;
    return globFiles(this.#search, { ...query, path: placedPath(query.path ?? ".") }, { cwd: WORKSPACE });
  }

  async grep(query: GrepQuery): Promise<GrepResult> {
    this.#usable;
    return grepFiles(this.#search, { ...query, path: placedPath(query.path ?? ".") }, { cwd: WORKSPACE });
  }

  async exec(command: Command, options: ExecOptions = {}): Promise<ExecResult> {
    checkCommand(command);
    const { tree, pool, env, timeoutMs, network: networkOf } = this.#usable;
    const limits = checkedLimits({ ...options, timeoutMs: options.timeoutMs ?? timeoutMs });
    const cwd = placedPath(options.cwd ?? ".");
    const problem = folderProblem(tree, cwd, options.cwd ?? ".");
    if (problem) return neverStarted(problem);
    const own = { ...env, ...checkedEnvironment(options.env ?? {}) };
    return runInShell(pool, { command, cwd, env: own, limits, options, network: networkOf?.(this.id) });
  }

  async start(): Promise<ExecHandle> {
    throw new HaftError("SANDBOX_UNSUPPORTED", "The virtual sandbox cannot run a command in the background.", {
      hint: "Use exec, which waits for the command, or a sandbox with real processes.",
    });
  }

  async dispose(): Promise<void> {
    this.#isDisposed = true;
    await this.#parts.pool.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }

  get #usable(): VirtualSandboxParts {
    if (!this.#isDisposed) return this.#parts;
    throw new HaftError("SANDBOX_DISPOSED", `This sandbox has been disposed of (${this.summary}).`, {
      hint: "Open a new one, and dispose of it after the last command.",
    });
  }
}

function searchFsOf(tree: Tree): SearchFs {
  return {
    list: async (path) => {
      const folder = tree.get(path);
      return folder.type === "dir" ? tree.entries(folder) : [];
    },
    readFile: async (path) => {
      const file = tree.file(path);
      if (tree.statOf(file).size > DEFAULT_MAX_BYTES) throw fileError("EFBIG", path);
      return tree.readNode(file);
    },
    stat: async (path) => tree.stat(path),
  };
}

function folderProblem(tree: Tree, path: string, shown: string): string | undefined {
  try {
    if (tree.stat(path).type === "dir") return undefined;
  } catch (thrown) {
    if (!HaftError.is(thrown, "ENOENT") && !HaftError.is(thrown, "ENOTDIR")) throw thrown;
    return `The folder ${shown}, in which the command should run, does not exist.`;
  }
  return `${shown}, in which the command should run, is not a folder.`;
}

function neverStarted(error: string): ExecResult {
  const nothing = () => new Uint8Array(0);
  return {
    ...{ status: "spawn_error", exitCode: null, signal: null, error },
    ...{ stdout: nothing(), stderr: nothing(), combined: nothing() },
    ...{ stdoutTotal: 0, stderrTotal: 0, truncated: false, durationMs: 0 },
  };
}

function wholeNumber(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new HaftError("EINVAL", `${name} is ${value}, and must be a whole number of bytes from 0.`, {
    hint: `Leave ${name} out, or give a whole number.`,
  });
}
