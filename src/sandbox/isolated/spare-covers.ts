/**
 * Keeps covers from one command to the next, in a private folder of temporary things. To move one costs little, while a file
 * system may take milliseconds to make another: ext4 passes over each inode that was deleted in the last five seconds.
 *
 * A spare is used only as it was put there: the same inode, and the same time of its last change, which only the kernel sets.
 */
import { linkSync, lstatSync, mkdtempSync, realpathSync, renameSync, rmdirSync, type Stats, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isInside } from "../files/pinned-dir.ts";

/** Older ones are made anew, for by its age is known what a killed program has left. */
const KEPT_MS = 60 * 60 * 1000;

/** What a cover is: a file with this text, or with undefined an empty folder. */
export type CoverKind = string | undefined;

interface Spare {
  path: string;
  kind: CoverKind;
  inode: number;
  changedMs: number;
}

export class SpareCovers {
  readonly #spares: Spare[] = [];
  readonly #parent = realTemporaryFolder();
  #folder: string | undefined;
  #count = 0;
  /** Not to another file system, and only root may move a folder that cannot be written: the first try tells. */
  #canMove = this.#parent !== undefined;

  /** Commands that can write in one of these folders could reach the spares. */
  isReachableFrom(roots: Iterable<string>): boolean {
    return [...roots].some((root) => isInside(root, this.#parent ?? "/"));
  }

  /** Moves a spare to `place`. False when there is none as it should be: then one is to be made. */
  take(place: string, kind: CoverKind): boolean {
    const at = this.#spares.findIndex((spare) => spare.kind === kind);
    if (at < 0) return false;
    const [{ path, inode, changedMs }] = this.#spares.splice(at, 1) as [Spare];
    try {
      const found = lstatSync(path);
      if (found.ino !== inode || found.ctimeMs !== changedMs) return false;
      if (kind === undefined) renameSync(path, place);
      else {
        linkSync(path, place); // A rename would replace a file that somebody has made meanwhile.
        unlinkSync(path);
      }
      return true;
    } catch {
      return false;
    }
  }

  /** Moves away the cover at `place`, which is as it was made. False when it is still there. */
  keep(place: string, kind: CoverKind, found: Stats): boolean {
    if (!this.#canMove || Date.now() - found.mtimeMs > KEPT_MS) return false;
    try {
      this.#folder ??= mkdtempSync(join(this.#parent!, "haft-covers-"));
      const path = join(this.#folder, String(this.#count++));
      renameSync(place, path);
      const moved = lstatSync(path);
      if (moved.ino === found.ino && moved.mtimeMs === found.mtimeMs) {
        this.#spares.push({ path, kind, inode: moved.ino, changedMs: moved.ctimeMs });
        return true;
      }
      renameSync(path, place); // Somebody has put something there in this very moment.
    } catch {
      this.#canMove = false;
    }
    return false;
  }

  clear(): void {
    try {
      for (const { path, kind } of this.#spares.splice(0)) kind === undefined ? rmdirSync(path) : unlinkSync(path);
      if (this.#folder !== undefined) rmdirSync(this.#folder);
    } catch {
      // Somebody has put something in, or taken something away: it stays among the temporary things.
    }
    this.#folder = undefined;
  }
}

function realTemporaryFolder(): string | undefined {
  try {
    return realpathSync(tmpdir());
  } catch {
    return undefined;
  }
}
