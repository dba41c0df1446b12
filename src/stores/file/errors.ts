/** What the file system throws, as an error that says what to do. */
import { codeOf, HaftError, messageOf } from "../../base/errors.ts";

const hints: Record<string, string> = {
  ENOSPC: "The disk is full. Make room, then go on with the same session.",
  EDQUOT: "The quota of the disk is used up. Make room, then go on with the same session.",
  EACCES: "The folder may not be written to. Make it writable, or give another path.",
  EPERM: "The folder may not be written to. Make it writable, or give another path.",
  EROFS: "The disk is read-only. Give another path.",
  ENOTDIR: "A part of the path is a file. Give the path of a folder.",
};

/** Already ours: as it is. */
export function fileError(path: string, cause: unknown): HaftError {
  if (HaftError.is(cause)) return cause;
  return new HaftError("STORE_FAILED", `The log ${path} failed: ${messageOf(cause)}`, {
    cause,
    hint: hints[codeOf(cause) ?? ""] ?? "Mend the store, then go on with the same session.",
  });
}
