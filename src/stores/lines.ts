/** What the bytes of a session's file say: its entries, its epoch, and where the last whole line ends. */
import { HaftError } from "../base/errors.ts";
import { isPlainObject } from "../base/json.ts";
import type { Entry } from "../core/log.ts";
import { currentEntry } from "../core/log-version.ts";

export interface ReadLines {
  entries: Entry[];
  epoch: number;
  /** Bytes up to the end of the last whole line: what follows was torn by a crash, and no append of it was acknowledged. */
  length: number;
}

const LINE_END = 0x0a;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** @throws HaftError `STORE_CORRUPT`, `LOG_VERSION_UNKNOWN` */
export function readLines(bytes: Buffer, session: string): ReadLines {
  const entries: Entry[] = [];
  let epoch = 0;
  let start = 0;
  for (let number = 1; ; number++) {
    const end = bytes.indexOf(LINE_END, start);
    if (end < 0) break;
    const line = parse(bytes.subarray(start, end));
    if (!line && bytes.indexOf(LINE_END, end + 1) < 0) break; // the last one: blocks that reached the disk out of order
    if (!line) throw corrupt(session, number);
    const { epoch: written = 0, ...entry } = line;
    entries.push(currentEntry(entry, `Session "${session}"`));
    epoch = Math.max(epoch, written);
    start = end + 1;
  }
  return { entries, epoch, length: start };
}

function parse(line: Buffer): (Entry & { epoch?: number }) | undefined {
  try {
    const value: unknown = JSON.parse(utf8.decode(line));
    return isPlainObject(value) ? (value as unknown as Entry) : undefined;
  } catch {
    return undefined;
  }
}

function corrupt(session: string, line: number): HaftError {
  return new HaftError("STORE_CORRUPT", `Line ${line} of session "${session}" is not an entry`, {
    hint: "The lines before it can be kept: cut the file there.",
  });
}
