/**
 * Keeps the protected paths of one writable folder from commands: what is there is mounted read-only, what is not there is
 * covered by an empty folder for as long as a command runs, and every folder that leads to one of them is a mount point,
 * which cannot be moved away.
 *
 * What to mount is decided while no command of this program runs in the folder. Otherwise one of them could put a symlink
 * in the place of what was looked at, and bwrap would mount what it leads to.
 */
import { lstatSync, mkdirSync, rmdirSync, type Stats, unlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { type FoundRepository, findRepositories } from "./find-repositories.ts";
import { HAFT, HAFT_OUTPUT, NAMES_OF_A_HOME, PROTECTED_IN_GIT, PROTECTED_NAMES } from "./protected-names.ts";
import { SpareCovers } from "./spare-covers.ts";

export interface Protection {
  /** Folders that must be mount points, and stay writable. */
  pins: readonly string[];
  readOnly: readonly string[];
  /** What was not there: an empty folder is to be mounted. */
  covered: readonly string[];
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

/** Of this program, by their root: all sandboxes of one folder share it. */
const folders = new Map<string, ProtectedFolder>();

function uncoverAll(): void {
  for (const folder of folders.values()) {
    folder.uncover();
    folder.forgetSpares();
  }
}

export class ProtectedFolder {
  /** What was protected last: for the file API. */
  current: Protection = { pins: [], readOnly: [], covered: [] };
  readonly #root: string;
  readonly #isHome: boolean;
  #users = 0;
  #running = 0;
  readonly #covers: Cover[] = [];
  readonly #spares = new SpareCovers();
  #repositories: FoundRepository[] = [];
  #searchedAt = Number.NEGATIVE_INFINITY;

  private constructor(root: string) {
    this.#root = root;
    this.#isHome = root === homedir() || /^\/(root|home\/[^/]+)$/.test(root);
  }

  /** `root` is a real path. Each `open` needs its `close`. */
  static open(root: string): ProtectedFolder {
    if (folders.size === 0) process.on("exit", uncoverAll);
    const folder = folders.get(root) ?? new ProtectedFolder(root);
    folders.set(root, folder);
    if (folder.#users++ === 0) folder.#note(folder.#find());
    return folder;
  }

  close(): void {
    if (--this.#users > 0) return;
    this.forgetSpares();
    folders.delete(this.#root);
    if (folders.size === 0) process.removeListener("exit", uncoverAll);
  }

  /** A command is about to start. Each `enter` needs its `leave`. */
  enter(): Protection {
    if (this.#running++ === 0) this.#protect();
    return this.current;
  }

  /** It has ended, and nothing of it runs any more. */
  leave(): void {
    if (--this.#running === 0) this.uncover();
  }

  #protect(): void {
    if (this.#spares.isReachableFrom(folders.keys())) this.forgetSpares();
    const found = this.#find();
    this.#note({ ...found, absent: found.absent.filter((place) => this.#cover(place)) });
  }

  /** What is there to be mounted over, and what is not there. */
  #find(): { present: string[]; absent: string[] } {
    if (performance.now() - this.#searchedAt > SEARCH_AGAIN_MS) this.#search();
    const wanted = PROTECTED_NAMES.map((name) => join(this.#root, name));
    if (look(join(this.#root, HAFT))) wanted.push(join(this.#root, HAFT));
    const present: string[] = [];
    for (const { path, type } of this.#repositories) {
      const inside = PROTECTED_IN_GIT.map((name) => join(path, name));
      // A symlink cannot be mounted over: then all of it has to be read-only.
      if (type === "file" || inside.some((place) => look(place)?.isSymbolicLink())) present.push(path);
      else if (look(path)?.isDirectory()) wanted.push(...inside);
    }
    const absent = wanted.filter((place) => {
      const found = look(place);
      if (found && !found.isSymbolicLink() && !isStale(place, found)) present.push(place);
      return found ? isStale(place, found) : this.#isHome || !NAMES_OF_A_HOME.includes(basename(place));
    });
    return { present: present.filter(look), absent };
  }

  #note({ present, absent }: { present: string[]; absent: string[] }): void {
    const isFile = (place: string) => COVER_TEXT[basename(place)] !== undefined;
    this.current = {
      pins: [...pinsOf(this.#root, [...present, ...absent]), ...this.#writable(present)],
      readOnly: [...present, ...absent.filter(isFile)],
      covered: absent.filter((place) => !isFile(place)),
    };
  }

  /** In what is read-only. */
  #writable(present: readonly string[]): string[] {
    const output = join(this.#root, HAFT, HAFT_OUTPUT);
    return present.includes(join(this.#root, HAFT)) && look(output)?.isDirectory() ? [output] : [];
  }

  #search(): void {
    this.#repositories = findRepositories(this.#root);
    this.#searchedAt = performance.now();
  }

  /** True when something is there now that can be mounted over. */
  #cover(place: string): boolean {
    const text = COVER_TEXT[basename(place)];
    try {
      if (look(place)) removeCover(place, lstatSync(place));
      if (!this.#spares.take(place, text)) makeCover(place, text);
      this.#covers.push({ place, made: lstatSync(place) });
      return true;
    } catch {
      // Where this user may not make it, a command may not either.
      return false;
    }
  }

  /** Takes away what was only there to be mounted over. */
  uncover(): void {
    const covers = this.#covers.splice(0);
    const mayKeep = covers.length > 0 && !this.#spares.isReachableFrom(folders.keys());
    for (const { place, made } of covers) {
      const found = look(place);
      if (found?.ino !== made.ino) continue;
      const isKept =
        mayKeep && isUntouched(found, made) && this.#spares.keep(place, COVER_TEXT[basename(place)], found);
      if (!isKept) removeCover(place, found);
    }
  }

  forgetSpares(): void {
    this.#spares.clear();
  }
}

interface Cover {
  place: string;
  made: Stats;
}

function makeCover(place: string, text: string | undefined): void {
  if (text === undefined) mkdirSync(place, { mode: 0o555 });
  else writeFileSync(place, text, { flag: "wx", mode: 0o444 });
}

function isUntouched(found: Stats, made: Stats): boolean {
  return found.mtimeMs === made.mtimeMs && found.mode === made.mode;
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
    return lstatSync(path, { throwIfNoEntry: false }); // most are not there, and an error costs more than the look
  } catch {
    return undefined;
  }
}
