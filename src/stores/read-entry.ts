/** An entry out of a database. */
import { HaftError } from "../base/errors.ts";
import { isPlainObject } from "../base/json.ts";
import type { Entry } from "../core/log.ts";
import { currentEntry } from "../core/log-version.ts";

/** @throws HaftError `STORE_CORRUPT`, `LOG_VERSION_UNKNOWN` */
export function readEntry(line: string, session: string): Entry {
  const value = parse(line);
  if (isPlainObject(value)) return currentEntry(value as { v?: unknown }, `Session "${session}"`);
  throw new HaftError("STORE_CORRUPT", `An entry of session "${session}" is not one: ${line.slice(0, 80)}`, {
    hint: "Someone else wrote into this database. Bring it back from a copy.",
  });
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
