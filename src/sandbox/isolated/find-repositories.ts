/** Finds the folders in which git keeps a repository: of the workspace, of those nested in it, and of their submodules. */
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

const DEPTH = 3;
const MODULE_DEPTH = 4;
/** Enough for any workspace that a person made; a bound, so that no tree holds up a command. */
const MOST_FOLDERS = 5000;

export interface FoundRepository {
  /** `.git`, or a folder below `.git/modules`. */
  path: string;
  /** A file `.git` says where the folder is; it can be exchanged like a folder. */
  type: "folder" | "file";
}

/** `.git` down to three folders below `root`, not in node_modules. Symlinks are not followed, and not found. */
export function findRepositories(root: string): FoundRepository[] {
  const found: FoundRepository[] = [];
  let looked = 0;
  const look = (folder: string, depth: number): void => {
    if (++looked > MOST_FOLDERS) return;
    for (const entry of entries(folder)) {
      const path = join(folder, entry.name);
      if (entry.name === ".git") {
        if (entry.isFile()) found.push({ path, type: "file" });
        if (entry.isDirectory()) found.push({ path, type: "folder" }, ...modulesIn(join(path, "modules"), 1));
      } else if (entry.isDirectory() && depth < DEPTH && entry.name !== "node_modules") look(path, depth + 1);
    }
  };
  look(root, 0);
  if (isGitFolder(root)) found.push({ path: root, type: "folder" });
  return found;
}

function modulesIn(folder: string, depth: number): FoundRepository[] {
  return entries(folder)
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(folder, entry.name))
    .flatMap((path) => {
      if (isGitFolder(path)) return [{ path, type: "folder" } as const, ...modulesIn(join(path, "modules"), depth + 1)];
      return depth < MODULE_DEPTH ? modulesIn(path, depth + 1) : [];
    });
}

function isGitFolder(path: string): boolean {
  return ["HEAD", "objects", "refs"].every((name) => lstatSync(join(path, name), { throwIfNoEntry: false }));
}

function entries(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
