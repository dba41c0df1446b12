/**
 * The mounted folder of the host, read only. Paths are relative to it, and each was found name by name without a link
 * on the way. Against a folder that is swapped for a link meanwhile, what was opened is asked where it is.
 */

import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
} from "node:fs";
import { isAbsolute, posix } from "node:path";
import type { DirEntry, FileStat } from "../../core/sandbox.ts";
import { explainFileError, PathSwapped } from "../files/file-error.ts";
import { fileStat, fileType } from "../files/file-stat.ts";
import { isWithin } from "./places.ts";

/** What a file of the host was, closely enough to notice any change. */
export type Origin =
  | { type: "file"; size: number; mtimeMs: number; ino: number; mode: number; sha256?: string }
  | { type: "symlink"; target: string }
  | { type: "dir" | "other" | "absent" };

const HASHED_BYTES = 4 * 1024 * 1024;
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const KNOWS_OPEN_PATHS = process.platform === "linux" && existsSync("/proc/self/fd");

export class HostFolder {
  /** `root` is a real path. */
  constructor(readonly root: string) {}

  path(relative: string): string {
    return relative === "" ? this.root : `${this.root === "/" ? "" : this.root}/${relative}`;
  }

  /** Never follows a link. Undefined where there is nothing. */
  stat(relative: string): FileStat | undefined {
    return this.#explained(relative, () => {
      const found = lstatSync(this.path(relative), { throwIfNoEntry: false });
      return found && fileStat(found);
    });
  }

  list(relative: string): DirEntry[] {
    return this.#explained(relative, () =>
      this.#opened(relative, READ_FLAGS | constants.O_DIRECTORY, (fd) => {
        const place = KNOWS_OPEN_PATHS ? `/proc/self/fd/${fd}` : this.path(relative);
        return readdirSync(place, { withFileTypes: true }).map((entry) => ({
          name: entry.name,
          type: fileType(entry),
        }));
      }),
    );
  }

  /** A whole file, or `length` bytes from `offset`. */
  read(relative: string, offset = 0, length?: number): Uint8Array {
    return this.#explained(relative, () =>
      this.#opened(relative, READ_FLAGS, (fd) => {
        if (offset === 0 && length === undefined) return plainBytes(readFileSync(fd));
        const bytes = new Uint8Array(
          Math.max(0, Math.min(length ?? Number.POSITIVE_INFINITY, fstatSync(fd).size - offset)),
        );
        return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, offset));
      }),
    );
  }

  /** Where a link points, as seen from the mount: a target inside the folder is given relative to it. */
  link(relative: string): { target: string; inside: string | undefined } {
    return this.#explained(relative, () => {
      const target = readlinkSync(this.path(relative));
      const pointed = isAbsolute(target) ? posix.normalize(target) : posix.join(this.path(relative), "..", target);
      const inside = isWithin(this.root, pointed) ? posix.relative(this.root, pointed) : undefined;
      return { target, inside };
    });
  }

  /** What is there now, to be compared later. `thorough` adds the hash of a small file. */
  origin(relative: string, thorough = false): Origin {
    return this.#explained(relative, () => {
      const found = lstatSync(this.path(relative), { throwIfNoEntry: false });
      if (!found) return { type: "absent" };
      const type = fileType(found);
      if (type === "symlink") return { type, target: readlinkSync(this.path(relative)) };
      if (type !== "file") return { type };
      const { size, mtimeMs, ino, mode } = found;
      const isHashed = thorough && size <= HASHED_BYTES;
      return {
        type,
        size,
        mtimeMs,
        ino,
        mode: mode & 0o7777,
        ...(isHashed && { sha256: sha256(this.read(relative)) }),
      };
    });
  }

  #opened<Result>(relative: string, flags: number, action: (fd: number) => Result): Result {
    const path = this.path(relative);
    const fd = openSync(path, flags);
    try {
      const real = KNOWS_OPEN_PATHS ? readlinkSync(`/proc/self/fd/${fd}`) : realpathSync(path);
      if (real !== path) throw new PathSwapped(relative);
      const found = fstatSync(fd);
      const isWanted = flags & constants.O_DIRECTORY ? found.isDirectory() : found.isFile();
      if (!isWanted)
        throw Object.assign(new Error("not a regular file"), { code: found.isDirectory() ? "EISDIR" : "EINVAL" });
      return action(fd);
    } finally {
      closeSync(fd);
    }
  }

  #explained<Result>(relative: string, action: () => Result): Result {
    try {
      return action();
    } catch (thrown) {
      throw explainFileError(thrown, relative);
    }
  }
}

/** Still the same bytes? `current` is what is there now; `bytes` reads it, and is asked only when needed. */
export function isUnchanged(before: Origin, current: Origin, bytes: () => Uint8Array): boolean {
  if (before.type === "symlink") return current.type === "symlink" && current.target === before.target;
  if (before.type !== "file" || current.type !== "file") return before.type === current.type;
  if (before.size !== current.size) return false;
  if (before.sha256 !== undefined) return before.sha256 === sha256(bytes());
  return before.mtimeMs === current.mtimeMs && before.ino === current.ino;
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Without the rest of a shared pool behind it, which would travel along to the shell. */
function plainBytes(buffer: Buffer): Uint8Array {
  if (buffer.byteLength === buffer.buffer.byteLength) return new Uint8Array(buffer.buffer);
  return new Uint8Array(buffer);
}
