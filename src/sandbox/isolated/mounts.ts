/** What is mounted from the machine: the workspace, what the owner adds, and the protected paths in what can be written. */
import { realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { HaftError } from "../../base/errors.ts";
import { isInside } from "../files/pinned-dir.ts";
import type { Protection } from "./protected-folder.ts";
import { emptyFolderArgs } from "./visible-root.ts";

export interface IsolatedMount {
  /** A file or folder of the machine. */
  host: string;
  /** Where commands see it. Default: at the same path. Inside the workspace, only the same path is possible. */
  path?: string;
  /** Default `ro`. In what can be written, the protected paths are read-only too. */
  mode?: "ro" | "rw";
}

export interface Mount {
  host: string;
  path: string;
  mode: "ro" | "rw";
}

/** Commands need these as they are. */
const TAKEN = ["/", "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/proc", "/sys", "/dev"];
const CLOSED = ["/proc", "/sys", "/dev"];

export function workspaceMount(cwd: string): Mount {
  refuseTaken(cwd, "cwd");
  return { host: cwd, path: cwd, mode: "rw" };
}

export function checkedMounts(mounts: readonly IsolatedMount[], workspace: string): Mount[] {
  return mounts.map(({ host, path = host, mode = "ro" }) => {
    for (const place of [host, path]) if (place !== resolve(place)) throw invalid(place, "is not an absolute path");
    refuseTaken(path, "a mount");
    const real = realPath(host);
    if (mode === "rw") refuseTaken(real, "a mount that can be written");
    if (isInside(workspace, path) && (path === workspace || real !== path)) {
      throw invalid(path, "is in the workspace, where the file tools would see something else than commands");
    }
    return { host: real, path, mode };
  });
}

export interface ProtectedMount extends Mount {
  protection?: Protection;
}

/** Arguments of bwrap, from above: what is mounted on a folder would hide what was mounted in it before. */
export function mountArgs(mounts: readonly ProtectedMount[]): string[] {
  const made = mounts.map(({ host, path, mode }) => bind(mode === "rw" ? "--bind" : "--ro-bind", host, path));
  for (const { host, path, protection } of mounts) {
    const isCovered = (place: string) =>
      mounts.some((other) => other.path !== path && isInside(path, other.path) && isInside(other.path, place));
    const add = (places: readonly string[] | undefined, make: (place: string, inside: string) => Made) => {
      for (const place of places ?? []) {
        const inside = join(path, place.slice(host.length));
        if (!isCovered(inside)) made.push(make(place, inside));
      }
    };
    add(protection?.pins, (place, inside) => bind("--bind", place, inside));
    add(protection?.readOnly, (place, inside) => bind("--ro-bind", place, inside));
    add(protection?.covered, (_place, inside) => ({ path: inside, args: emptyFolderArgs(inside) }));
  }
  return made.sort((a, b) => a.path.length - b.path.length).flatMap(({ args }) => args);
}

interface Made {
  path: string;
  args: string[];
}

function bind(flag: "--bind" | "--ro-bind", host: string, path: string): Made {
  return { path, args: [flag, host, path] };
}

function refuseTaken(path: string, what: string): void {
  if (!TAKEN.includes(path) && !CLOSED.some((folder) => isInside(folder, path))) return;
  throw invalid(path, `cannot be ${what} of an isolated sandbox: it is a part of the system`);
}

function realPath(path: string): string {
  try {
    statSync(path);
    return realpathSync(path);
  } catch {
    throw invalid(path, "does not exist, or cannot be reached");
  }
}

function invalid(path: string, problem: string): HaftError {
  return new HaftError("EINVAL", `${JSON.stringify(path)} ${problem}.`, {
    hint: "Name a folder of your own, by an absolute path.",
  });
}
