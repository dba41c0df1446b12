/** Where a granted program works: its root and its folder, and where a path leads when symlinks are followed. */
import { lstat, readdir, readlink } from "node:fs/promises";
import { isAbsolute, posix, resolve } from "node:path";
import { codeOf } from "../../../base/errors.ts";
import type { ExecOptions, ExecResult, SandboxAccess } from "../../../core/sandbox.ts";
import { quoted, refused } from "./refusal.ts";

const MAX_LINKS = 40;

export interface Place {
  /** Absolute; nothing outside of it may be named. */
  readonly root: string;
  readonly cwd: string;
  /** The programs are real ones, with all their options. */
  readonly isReal: boolean;
  exec(command: readonly string[], options: ExecOptions): Promise<ExecResult>;
  /** Where a symlink points; undefined for what is none, or is not there. */
  readLink(path: string): Promise<string | undefined>;
  /** What a folder has; nothing, when it is none. Relative to `cwd`. */
  names(path: string): Promise<string[]>;
}

/** `root` and `cwd` are those of the grant and of the call, relative to the sandbox. */
export async function sandboxPlace(sandbox: SandboxAccess, root: string, cwd: string | undefined): Promise<Place> {
  const exec: Place["exec"] = (command, options) => sandbox.exec(command, options);
  const readLink: Place["readLink"] = (path) => linkInSandbox(sandbox, path);
  const whole = await plainRoot(readLink, sandbox.cwd, root);
  const folder = await folderInside(readLink, sandbox.cwd, whole, cwd);
  const names: Place["names"] = async (path) =>
    (await unlessMissing(sandbox.list(under(folder, path)), path))?.map(({ name }) => name) ?? [];
  return { root: whole, cwd: folder, isReal: sandbox.capabilities.realProcesses, exec, readLink, names };
}

/** The same on the host. `exec` is how a program is started there, `base` the run's folder. */
export async function hostPlace(
  exec: Place["exec"],
  base: string,
  root: string,
  cwd: string | undefined,
): Promise<Place> {
  const whole = await plainRoot(linkOnHost, await realPathOf(linkOnHost, resolve(base)), root);
  const folder = await folderInside(linkOnHost, whole, whole, cwd);
  const names: Place["names"] = async (path) => (await unlessMissing(readdir(under(folder, path)), path)) ?? [];
  return { root: whole, cwd: folder, isReal: true, exec, readLink: linkOnHost, names };
}

/** A root behind a link would be wherever the link is made to lead. */
async function plainRoot(readLink: Place["readLink"], base: string, root: string): Promise<string> {
  const whole = posix.resolve(base, root);
  if ((await realPathOf(readLink, whole)) === whole) return whole;
  throw refused(`the root of the grant, ${quoted(root)}, is behind a link: the grant must name where it leads`);
}

/** Relative to `base`, unless it is left out: then the root itself. */
async function folderInside(
  readLink: Place["readLink"],
  base: string,
  root: string,
  cwd: string | undefined,
): Promise<string> {
  const wanted = cwd === undefined ? root : under(base, cwd);
  const real = await realPathOf(readLink, wanted);
  if (!isInside(await realPathOf(readLink, root), real)) {
    throw refused(`the folder ${quoted(cwd ?? root)} is outside of what is granted`, `${root} and what is in it`);
  }
  return real;
}

/** Not made shorter: `link/..` is above what the link leads to. */
function under(base: string, path: string): string {
  return isAbsolute(path) ? path : `${base}/${path}`;
}

export function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root === "/" ? "/" : `${root}/`);
}

/** As it is written, without a look at the disk. */
export function isInsideAsWritten({ root, cwd }: Pick<Place, "root" | "cwd">, path: string): boolean {
  return isInside(root, posix.resolve(cwd, path));
}

/** A path that is not there yet counts as being where it would be made. */
export async function leadsInside(place: Place, path: string, base = place.cwd): Promise<boolean> {
  if (path.includes("\0")) return false;
  const real = await realPathOf(place.readLink, under(base, path));
  return isInside(await realPathOf(place.readLink, place.root), real);
}

/** Files that git would take settings and hooks from, by whatever name they are reached. */
export async function leadsIntoGit(place: Place, path: string, base = place.cwd): Promise<boolean> {
  const real = await realPathOf(place.readLink, under(base, path));
  return real.split("/").some((part) => part.toLowerCase() === ".git");
}

/** Every symlink on the way is followed, whatever it leads to. A circle leads nowhere. */
async function realPathOf(readLink: Place["readLink"], path: string): Promise<string> {
  const waiting = path.split("/").filter(Boolean);
  let real = "/";
  for (let links = 0; waiting.length > 0; ) {
    const next = posix.join(real, waiting.shift()!);
    const target = await readLink(next);
    if (target === undefined) {
      real = next;
      continue;
    }
    if (++links > MAX_LINKS) return "/";
    if (isAbsolute(target)) real = "/";
    waiting.unshift(...target.split("/").filter((part) => part !== "" && part !== "."));
  }
  return real;
}

async function linkOnHost(path: string): Promise<string | undefined> {
  const found = await unlessMissing(lstat(path), path);
  return found?.isSymbolicLink() ? readlink(path) : undefined;
}

/** What is above the sandbox's own folder is its owner's affair. */
async function linkInSandbox(sandbox: SandboxAccess, path: string): Promise<string | undefined> {
  if (path === sandbox.cwd || !isInside(sandbox.cwd, path)) return undefined;
  const found = await unlessMissing(sandbox.stat(path, { followSymlinks: false }), path);
  if (found?.type !== "symlink") return undefined;
  const entries = await sandbox.list(posix.dirname(path));
  return entries.find(({ name }) => name === posix.basename(path))?.target ?? "/";
}

async function unlessMissing<T>(found: Promise<T>, path: string): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(error) ?? "")) return undefined;
    throw refused(`${quoted(path)} cannot be looked at`);
  }
}
