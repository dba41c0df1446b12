/** The file half of a sandbox whose files are those of the machine: the contract's methods, on the real disk, confined to one root. */
import { lstat, readdir, readlink, rename } from "node:fs/promises";
import { codeOf } from "../../base/errors.ts";
import type {
  DirEntry,
  FileStat,
  GlobQuery,
  GlobResult,
  GrepQuery,
  GrepResult,
  ReadFileOptions,
  SandboxFiles,
  WriteFileOptions,
} from "../../core/sandbox.ts";
import { globFiles, grepFiles } from "../search/index.ts";
import type { ConfinedRoot } from "./confined-root.ts";
import { explainFileError, fileError, PathSwapped } from "./file-error.ts";
import { fileStat, fileType } from "./file-stat.ts";
import { KeyedLock } from "./keyed-lock.ts";
import type { PinnedDir } from "./pinned-dir.ts";
import { readRegularFile } from "./read-file.ts";
import { removeEntry } from "./remove-entry.ts";
import { writeRegularFile } from "./write-file.ts";

export class HostFiles implements SandboxFiles {
  readonly #root: ConfinedRoot;
  readonly #writing = new KeyedLock();

  constructor(root: ConfinedRoot) {
    this.#root = root;
  }

  async readFile(path: string, options: ReadFileOptions = {}): Promise<Uint8Array> {
    options.abortSignal?.throwIfAborted();
    return this.#root.withEntry(path, { follow: true }, (dir, name) => readRegularFile(dir, name, path, options));
  }

  async writeFile(path: string, data: Uint8Array, options: WriteFileOptions = {}): Promise<void> {
    const { owner } = this.#root.policy;
    await this.#root.withEntry(path, { follow: true, createParents: true, change: true }, (dir, name) =>
      this.#writing.run(dir.pathOf(name), () => writeRegularFile({ dir, name, shown: path, data, options, owner })),
    );
  }

  async stat(path: string, options: { followSymlinks?: boolean } = {}): Promise<FileStat> {
    const follow = options.followSymlinks ?? true;
    return this.#root.withEntry(path, { follow }, async (dir, name) => {
      const found = await lstat(dir.at(name));
      await dir.check();
      if (follow && found.isSymbolicLink()) throw new PathSwapped(path);
      return fileStat(found);
    });
  }

  async list(path: string): Promise<DirEntry[]> {
    return this.#root.withFolder(path, async (dir) => {
      const found = await readdir(dir.at("."), { withFileTypes: true });
      const entries = await Promise.all(found.map((entry) => dirEntry(dir, entry.name, fileType(entry))));
      await dir.check();
      return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    });
  }

  async mkdir(path: string): Promise<void> {
    await this.#root.createFolder(path);
  }

  /** Moves a symlink itself, not what it points to. Replaces a file that is in the way. */
  async rename(from: string, to: string): Promise<void> {
    await this.#root.withEntry(from, { follow: false, change: true }, async (fromDir, fromName) => {
      await lstat(fromDir.at(fromName));
      await this.#root.withEntry(to, { follow: false, createParents: true, change: true }, async (toDir, toName) => {
        if (fromName === "." || toName === ".") {
          throw fileError("EPERM", fromName === "." ? from : to, { problem: "is the sandbox's own folder" });
        }
        try {
          await rename(fromDir.at(fromName), toDir.at(toName));
        } catch (thrown) {
          throw explainRename(thrown, from, to);
        }
      });
    });
  }

  async remove(path: string, options: { recursive?: boolean } = {}): Promise<void> {
    await this.#root.withEntry(path, { follow: false, change: true }, (dir, name) =>
      removeEntry(dir, name, path, options.recursive ?? false),
    );
  }

  async glob(query: GlobQuery): Promise<GlobResult> {
    return globFiles(this, { ...query, path: this.#root.absolute(query.path ?? ".") }, { cwd: this.#root.root });
  }

  async grep(query: GrepQuery): Promise<GrepResult> {
    return grepFiles(this, { ...query, path: this.#root.absolute(query.path ?? ".") }, { cwd: this.#root.root });
  }
}

async function dirEntry(dir: PinnedDir, name: string, type: DirEntry["type"]): Promise<DirEntry> {
  if (type !== "symlink") return { name, type };
  const target = await readlink(dir.at(name)).catch(() => undefined);
  return target === undefined ? { name, type } : { name, type, target };
}

function explainRename(thrown: unknown, from: string, to: string): unknown {
  if (codeOf(thrown) === "EINVAL") {
    return fileError("EINVAL", from, { problem: `cannot be moved into itself, to ${JSON.stringify(to)}` });
  }
  return explainFileError(thrown, to);
}
