/** What SQLite throws, as an error that says what to do. */
import { HaftError, messageOf } from "../../base/errors.ts";

/** The primary result codes of SQLite that have advice of their own. */
const hints: Record<number, string> = {
  5: "Another process has been writing to this database for seconds. Look whether it hangs, then go on with the same session.",
  8: "The file or its folder may not be written to. Make it writable, or give another path.",
  10: "The disk failed. Databases on network drives are not supported.",
  13: "The disk is full. Make room, then go on with the same session.",
  14: "Give the path of a file in a folder that can be written to.",
};

const corrupt = [11, 26];

/** Already ours: as it is. */
export function sqliteError(path: string, cause: unknown): HaftError {
  if (HaftError.is(cause)) return cause;
  const code = resultCode(cause);
  if (code !== undefined && corrupt.includes(code)) {
    return new HaftError("STORE_CORRUPT", `${path} is no whole SQLite database: ${messageOf(cause)}`, {
      cause,
      hint: "Give another path, or bring the file back from a copy.",
    });
  }
  return new HaftError("STORE_FAILED", `The database ${path} failed: ${messageOf(cause)}`, {
    cause,
    hint: (code !== undefined && hints[code]) || "Mend the store, then go on with the same session.",
  });
}

export function isBusy(error: unknown): boolean {
  return resultCode(error) === 5;
}

/** node:sqlite has it as `errcode`, libsql as `rawCode`; extended codes have more above the lowest byte. */
function resultCode(error: unknown): number | undefined {
  const { errcode, rawCode } = (error ?? {}) as { errcode?: unknown; rawCode?: unknown };
  const code = errcode ?? rawCode;
  return typeof code === "number" ? code & 0xff : undefined;
}
