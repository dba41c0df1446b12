/**
 * Keeps the protected paths of one writable folder from commands: what is there is mounted read-only, what is not there is
 * covered by an empty folder for as long as a command runs, and every folder that leads to one of them is a mount point,
 * which cannot be moved away.
 *
 * What to mount is decided while no command of this program runs in the folder. Otherwise one of them could put a symlink
 * in the place of what was looked at, and bwrap would mount what it leads to.
 */
import { lstatSync, mkdirSync, rmdirSync, type Stats, statSync, unlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type FoundRepository, findRepositories } from "./find-repositories.ts";
import { PROTECTED_IN_GIT, PROTECTED_NAMES } from "./protected-names.ts";

export interface Protection {
  /** Folders that must be mount points, and stay writable. */
  pins: readonly string[];
  readOnly: readonly string[];
}

/** The search is a walk; a repository that a person adds is protected a little later. */
const SEARCH_AGAIN_MS = 5000;
/** A cover of a program that was killed: no command runs so long. */
const STALE_MS = 24 * 60 * 60 * 1000;

/** What covers a file of git that is not there. Anything else is covered by an empty folder. */
const COVER_TEXT: Record<string, string> = {
  // Git reads it when it is there, and "." is what it would do without it.
  commondir: ".",
  "config.worktree": "",
};

const folders = new Map<string, ProtectedFolder>();

export class ProtectedFolder {
  /** What was protected last: for the file API. */
  current: Protection = { pins: [], readOnly: [] };
  readonly #root: string;
  #running = 0;
  #covers: Cover[] = [];
  #repositories: FoundRepository[] = [];
  #searchedAt = Number.NEGATIVE_INFINITY;

  private constructor(root: string) {
    this.#root = root;
    this.#search();
  }

  /** All sandboxes of this program share it. `root` is a real path. */
  static of(root: string): ProtectedFolder {
    const known = folders.get(root) ?? new ProtectedFolder(root);
    folders.set(root, known);
    return known;
  }

  /** A command is about to start. Each `enter` needs its `leave`. */
  enter(): Protection {
    if (this.#running++ === 0) this.#protect();
    return this.current;
  }

  /** It has ended, and nothing of it runs any more. */
  leave(): void {
    if (--this.#running > 0) return;
    this.#uncover();
  }

  #protect(): void {
    process.on("exit", this.#uncover);
    if (performance.now() - this.#searchedAt > SEARCH_AGAIN_MS) this.#search();
    const wanted = PROTECTED_NAMES.map((name) => join(this.#root, name));
    const readOnly: string[] = [];
    for (const { path, type } of this.#repositories) {
      const inside = PROTECTED_IN_GIT.map((name) => join(path, name));
      // A symlink cannot be mounted over: then all of it has to be read-only.
      if (type === "file" || inside.some((place) => look(place)?.isSymbolicLink())) readOnly.push(path);
      else if (look(path)?.isDirectory()) wanted.push(...inside);
    }
    for (const place of wanted) if (this.#cover(place)) readOnly.push(place);
    this.current = { pins: pinsOf(this.#root, readOnly), readOnly };
  }

  #search(): void {
    this.#repositories = findRepositories(this.#root);
    this.#searchedAt = performance.now();
  }

  /** True when something is there now that can be mounted over itself. */
  #cover(place: string): boolean {
    const found = look(place);
    if (found) {
      if (isStale(place, found)) this.#covers.push({ place, inode: found.ino });
      return !found.isSymbolicLink();
    }
    const text = COVER_TEXT[basename(place)];
    try {
      if (text === undefined) mkdirSync(place, { mode: 0o555 });
      else writeFileSync(place, text, { flag: "wx", mode: 0o444 });
      this.#covers.push({ place, inode: statSync(place).ino });
      return true;
    } catch {
      // Where this user may not make it, a command may not either.
      return look(place)?.isSymbolicLink() === false;
    }
  }

  readonly #uncover = (): void => {
    process.removeListener("exit", this.#uncover);
    for (const { place, inode } of this.#covers) {
      const found = look(place);
      if (found?.ino === inode) removeCover(place, found);
    }
    this.#covers = [];
  };
}

interface Cover {
  place: string;
  inode: number;
}

/** The folders between the root and each of the paths, from above. */
function pinsOf(root: string, paths: readonly string[]): string[] {
  const pins = new Set<string>();
  for (const path of paths)
    for (let above = dirname(path); above.length > root.length; above = dirname(above)) pins.add(above);
  return [...pins];
}

/** Left by a program that was killed: empty folders with names of files, and git's files as only we write them. */
function isStale(place: string, found: Stats): boolean {
  const text = COVER_TEXT[basename(place)];
  const looksOurs =
    text === undefined
      ? found.isDirectory() && (found.mode & 0o777) === 0o555
      : found.isFile() && found.size === text.length && (found.mode & 0o777) === 0o444;
  return looksOurs && Date.now() - found.mtimeMs > STALE_MS;
}

/** A person may have put something there meanwhile: a folder goes only when it is empty, a file as it was made. */
function removeCover(place: string, found: Stats): void {
  try {
    if (found.isDirectory()) rmdirSync(place);
    else if (found.size === (COVER_TEXT[basename(place)]?.length ?? 0)) unlinkSync(place);
  } catch {
    // Then it is not a cover any more.
  }
}

function look(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}
