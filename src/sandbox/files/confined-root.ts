/** The policy of the file API: a path leads to an entry inside the root, or to an error. */
import { lstat, readlink, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { codeOf } from "../../base/errors.ts";
import { explainFileError, fileError, outsideError, PathSwapped } from "./file-error.ts";
import { defaultPinning, isInside, type Owner, PinnedDir, type Pinning } from "./pinned-dir.ts";

const MAX_PATH_BYTES = 4095;
const MAX_NAME_BYTES = 255;
const MAX_LINKS = 40;
const TRIES = 5;

export interface EntryOptions {
  /** Follow a symlink at the end of the path. Symlinks before the end are always followed. */
  follow: boolean;
  /** Make the folders that lead there. */
  createParents?: boolean;
  /** It will be changed, replaced or removed: ask the policy first. */
  change?: boolean;
}

/** What an owner of the root adds to the rule that everything stays inside. */
export interface RootPolicy {
  /** Throws when nothing may be changed at this place: a real path. `shown` is the path as the caller wrote it. */
  refuseChange?(place: string, shown: string): void;
  /** Whom new files and folders belong to. Default: the user of this process. */
  owner?: Owner;
}

/** What is done with an entry: `dir` holds it, `name` is its name there ("." for the root itself). */
export type EntryAction<Result> = (dir: PinnedDir, name: string) => Promise<Result>;

export class ConfinedRoot {
  /** `root` is a real path. Absolute paths that start with `alias`, another name of it, are understood too. */
  constructor(
    readonly root: string,
    readonly alias: string = root,
    readonly pinning: Pinning = defaultPinning,
    readonly policy: RootPolicy = {},
  ) {}

  /** Finds the entry, holds its folder while `action` runs, and explains what went wrong. */
  async withEntry<Result>(path: string, options: EntryOptions, action: EntryAction<Result>): Promise<Result> {
    return this.#retried(path, async () => {
      const { folder, name } = await this.#locate(path, options.follow);
      if (options.change) this.policy.refuseChange?.(join(folder, name), path);
      const dir = options.createParents ? await this.#openCreated(folder) : await this.#open(folder);
      return closing(dir, async () => {
        // What is held may be another folder than the one that was found.
        if (options.change) this.policy.refuseChange?.(join(await dir.whereNow(), name), path);
        return action(dir, name);
      });
    });
  }

  /** The same for a folder and what is in it. */
  async withFolder<Result>(path: string, action: (dir: PinnedDir) => Promise<Result>): Promise<Result> {
    return this.#retried(path, async () => {
      const dir = await this.#open(await this.#real(path));
      return closing(dir, () => action(dir));
    });
  }

  /** Makes a folder and those that lead to it. */
  async createFolder(path: string): Promise<void> {
    await this.#retried(path, async () => {
      const real = await this.#real(path);
      this.policy.refuseChange?.(real, path);
      const dir = await this.#openCreated(real).catch((thrown) => {
        throw codeOf(thrown) === "ENOTDIR" ? fileError("EEXIST", path, { problem: "is a file" }) : thrown;
      });
      await dir.close();
    });
  }

  /** Where the path really leads, all symlinks followed. The last parts of it need not exist. */
  async realPath(path: string): Promise<string> {
    return this.#retried(path, () => this.#real(path));
  }

  /** What can be said of a path without looking at the disk. `..` is taken as written, before any symlink. */
  absolute(path: string): string {
    if (path.includes("\0")) throw fileError("EINVAL", path, { problem: "holds a NUL character", hint: "Remove it." });
    let absolute = resolve(this.root, path);
    if (!isInside(this.root, absolute) && isInside(this.alias, absolute)) {
      absolute = join(this.root, absolute.slice(this.alias.length));
    }
    if (!isInside(this.root, absolute)) throw outsideError(path, this.root);
    const tooLong =
      Buffer.byteLength(absolute) > MAX_PATH_BYTES ||
      absolute.split("/").some((name) => Buffer.byteLength(name) > MAX_NAME_BYTES);
    if (tooLong) throw fileError("ENAMETOOLONG", shortened(path));
    return absolute;
  }

  async #locate(path: string, follow: boolean): Promise<{ folder: string; name: string }> {
    const absolute = this.absolute(path);
    const real = follow ? await this.#real(path) : absolute;
    if (real === this.root) return { folder: this.root, name: "." };
    const folder = follow ? dirname(real) : await this.#follow(dirname(real), path, 0);
    return { folder, name: basename(real) };
  }

  #real(path: string): Promise<string> {
    return this.#follow(this.absolute(path), path, 0);
  }

  async #follow(absolute: string, shown: string, links: number): Promise<string> {
    if (links > MAX_LINKS) throw fileError("ELOOP", shown);
    try {
      const real = await realpath(absolute);
      if (!isInside(this.root, real)) throw outsideError(shown, this.root, "leads");
      return real;
    } catch (thrown) {
      if (codeOf(thrown) !== "ENOENT" || absolute === this.root) throw thrown;
    }
    const folder = await this.#follow(dirname(absolute), shown, links);
    const place = join(folder, basename(absolute));
    const target = await linkTarget(place);
    if (target === undefined) return place;
    // A link to nothing: where it points decides, not whether something is there.
    const pointed = resolve(folder, target);
    if (!isInside(this.root, pointed)) throw outsideError(shown, this.root, "leads");
    return this.#follow(pointed, shown, links + 1);
  }

  #open(folder: string): Promise<PinnedDir> {
    return PinnedDir.open(folder, this.root, this.pinning);
  }

  async #openCreated(folder: string): Promise<PinnedDir> {
    try {
      return await this.#open(folder);
    } catch (thrown) {
      if (codeOf(thrown) !== "ENOENT" || folder === this.root) throw thrown;
    }
    const parent = await this.#openCreated(dirname(folder));
    return closing(parent, () => parent.childCreated(basename(folder), this.policy.owner));
  }

  async #retried<Result>(path: string, action: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await action();
      } catch (thrown) {
        if (thrown instanceof PathSwapped && attempt < TRIES) continue;
        throw explainFileError(thrown, shortened(path));
      }
    }
  }
}

async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : undefined;
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}

async function closing<Result>(dir: PinnedDir, action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } finally {
    await dir.close();
  }
}

function shortened(path: string): string {
  return path.length <= 300 ? path : `${path.slice(0, 300)}…`;
}
