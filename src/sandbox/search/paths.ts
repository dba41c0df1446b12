/** How a search names places: absolute inside, relative outside. */

import { posix } from "node:path";
import { HaftError } from "../../base/errors.ts";
import { MAX_PATH_BYTES, type SearchContext } from "./search-fs.ts";

/** The absolute path where a search starts. */
export function startOf(path: string | undefined, context: SearchContext): string {
  if (path === undefined || path === "") return context.cwd;
  if (path.includes("\0")) throw new HaftError("EINVAL", "A path cannot contain a NUL character.");
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) {
    throw new HaftError("ENAMETOOLONG", `The path is longer than ${MAX_PATH_BYTES} bytes.`, {
      hint: "Give a shorter path.",
    });
  }
  const absolute = posix.resolve(context.cwd, path);
  return absolute;
}

export function join(folder: string, name: string): string {
  return folder === "/" ? `/${name}` : `${folder}/${name}`;
}

/** The path below `folder`, "" for the folder itself, undefined for a path outside. */
export function below(folder: string, path: string): string | undefined {
  if (path === folder) return "";
  const prefix = folder === "/" ? "/" : `${folder}/`;
  return path.startsWith(prefix) ? path.slice(prefix.length) : undefined;
}

/** As results show it: relative to the cwd, or absolute where that is outside. */
export function shown(path: string, context: SearchContext): string {
  return below(context.cwd, path) ?? path;
}

/** By code unit, so that the order does not depend on a language. */
export function byPath(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
