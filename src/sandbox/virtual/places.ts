/** The folders of a virtual sandbox, and how a path is brought into its one form: absolute, without `.` and `..`. */

import { posix } from "node:path";
import { fileError, outsideError } from "../files/file-error.ts";

/** Where the mounted folder appears, whatever its name on the host. */
export const WORKSPACE = "/workspace";
export const HOME = "/home/agent";
export const TMP = "/tmp";

/** All that can be read through the file API, and written. The shell sees a read-only system around it. */
export const PLACES = [WORKSPACE, TMP, HOME];

const MAX_PATH_BYTES = 4095;
const MAX_NAME_BYTES = 255;

/** Throws EINVAL for a NUL character and ENAMETOOLONG, before anything looks at the path. */
export function absolutePath(path: string, cwd = WORKSPACE): string {
  if (path.includes("\0")) throw fileError("EINVAL", path, { problem: "holds a NUL character", hint: "Remove it." });
  if (path.length > MAX_PATH_BYTES || Buffer.byteLength(path) > MAX_PATH_BYTES) throw tooLong(path);
  const absolute = posix.resolve(cwd, path);
  if (Buffer.byteLength(absolute) > MAX_PATH_BYTES || namesOf(absolute).some(isLongName)) throw tooLong(path);
  return absolute;
}

/** The same for the file API, which is confined to the places. Throws EPERM for a path elsewhere. */
export function placedPath(path: string): string {
  const absolute = absolutePath(path);
  if (!isPlaced(absolute)) throw outsideError(path, WORKSPACE);
  return absolute;
}

export function isPlaced(absolute: string): boolean {
  return PLACES.some((place) => isWithin(place, absolute));
}

export function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}

export function namesOf(path: string): string[] {
  return path.split("/").filter(Boolean);
}

/** Joins a canonical folder ("/" or "" included) and a name. */
export function within(folder: string, name: string): string {
  return folder === "" || folder.endsWith("/") ? folder + name : `${folder}/${name}`;
}

function isLongName(name: string): boolean {
  return name.length > MAX_NAME_BYTES || Buffer.byteLength(name) > MAX_NAME_BYTES;
}

function tooLong(path: string) {
  return fileError("ENAMETOOLONG", `${path.slice(0, 80)}…`);
}
