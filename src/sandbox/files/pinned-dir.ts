/** A folder held open, so that whatever is done to its entries happens in this folder and in no other put in its place. */
import { constants, existsSync } from "node:fs";
import { type FileHandle, lchown, lstat, mkdir, open, readlink, realpath } from "node:fs/promises";
import { join } from "node:path";
import { fileError, PathSwapped } from "./file-error.ts";

/**
 * How a held folder is kept: on Linux by its descriptor, under /proc, which no rename can redirect. Elsewhere by its
 * path, checked before and after each use; what is swapped and swapped back in between can go unseen.
 */
export type Pinning = "descriptor" | "path";

export const defaultPinning: Pinning =
  process.platform === "linux" && existsSync("/proc/self/fd") ? "descriptor" : "path";

/** Whom new files and folders belong to, where that is not the user of this process. */
export interface Owner {
  uid: number;
  gid: number;
}

/** Linux: opens without reading, and so needs no right to read. Node does not name it. */
const O_PATH = 0o10000000;
const FLAGS = constants.O_DIRECTORY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export class PinnedDir {
  readonly #handle: FileHandle;
  readonly #root: string;
  readonly #pinning: Pinning;

  private constructor(
    handle: FileHandle,
    /** Where the folder was found: a real path. */
    readonly path: string,
    root: string,
    pinning: Pinning,
  ) {
    this.#handle = handle;
    this.#root = root;
    this.#pinning = pinning;
  }

  /** `path` is real, and so is `root`. Refuses what is not a folder inside `root`. */
  static async open(path: string, root: string, pinning: Pinning): Promise<PinnedDir> {
    return PinnedDir.#openAt(path, path, root, pinning);
  }

  static async #openAt(place: string, path: string, root: string, pinning: Pinning): Promise<PinnedDir> {
    const access = pinning === "descriptor" ? O_PATH : constants.O_RDONLY;
    const dir = new PinnedDir(await open(place, FLAGS | access), path, root, pinning);
    try {
      await dir.check();
      return dir;
    } catch (thrown) {
      await dir.close();
      throw thrown;
    }
  }

  /** Where an entry was found, as a name for people and locks. */
  pathOf(name: string): string {
    return join(this.path, name);
  }

  /** The path of an entry, for one system call that does not follow symlinks. */
  at(name: string): string {
    return this.#pinning === "descriptor" ? `/proc/self/fd/${this.#handle.fd}/${name}` : join(this.path, name);
  }

  /** Throws when this folder is not inside the root (any more). To be called after an entry was opened. */
  async check(): Promise<void> {
    if (!isInside(this.#root, await this.whereNow())) throw new PathSwapped(this.path);
  }

  /** Where the folder that is held is now: it may have been moved since it was found. */
  whereNow(): Promise<string> {
    return this.#pinning === "descriptor" ? readlink(`/proc/self/fd/${this.#handle.fd}`) : this.#realPath();
  }

  /** Holds a folder in this one. */
  child(name: string): Promise<PinnedDir> {
    return PinnedDir.#openAt(this.at(name), join(this.path, name), this.#root, this.#pinning);
  }

  /** The same, made when it is not there. A folder that is made belongs to `owner`, when one is given. */
  async childCreated(name: string, owner?: Owner): Promise<PinnedDir> {
    try {
      await mkdir(this.at(name));
      if (owner) await lchown(this.at(name), owner.uid, owner.gid);
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== "EEXIST") throw thrown;
    }
    return this.child(name);
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  async #realPath(): Promise<string> {
    const [real, found, held] = await Promise.all([realpath(this.path), lstat(this.path), this.#handle.stat()]);
    if (real !== this.path || found.dev !== held.dev || found.ino !== held.ino) throw new PathSwapped(this.path);
    return real;
  }
}

export function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root === "/" ? "/" : `${root}/`);
}

/** Opens an entry that must be a regular file, without following a symlink and without waiting for a pipe's other end. */
export async function openRegular(dir: PinnedDir, name: string, shown: string, flags: number): Promise<FileHandle> {
  const file = await open(dir.at(name), flags | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch((thrown) => {
    if (thrown.code === "ELOOP") throw new PathSwapped(shown);
    if (thrown.code === "ENXIO") throw fileError("EINVAL", shown);
    throw thrown;
  });
  try {
    await dir.check();
    const found = await file.stat();
    if (found.isDirectory()) throw fileError("EISDIR", shown);
    if (!found.isFile()) throw fileError("EINVAL", shown);
    return file;
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
}
