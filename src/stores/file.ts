/** Logs in a folder: one file of JSON lines a session, synced to disk at every append. */
import { type FileHandle, mkdir, open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { HaftError } from "../base/errors.ts";
import { type Entry, LOG_VERSION, type Store } from "../core/log.ts";
import { checkEpoch } from "./epoch.ts";

/** `folder` is made when it is first written to. Sessions are named by letters, digits, `_`, `-` and `.`. */
export function fileStore(folder: string): Store {
  const open = new Map<string, SessionFile>();
  const fileOf = (session: string): SessionFile => {
    const known = open.get(session) ?? new SessionFile(folder, session);
    open.set(session, known);
    return known;
  };
  return {
    read: (session, after = -1) => fileOf(session).read(after),
    append: (session, entries, { epoch }) => fileOf(session).append(entries, epoch),
  };
}

class SessionFile {
  readonly #folder: string;
  readonly #path: string;
  readonly #session: string;
  /** Appends go one after the other. */
  #last: Promise<unknown> = Promise.resolve();
  #epoch: number | undefined;

  constructor(folder: string, session: string) {
    if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}$/.test(session)) {
      throw new HaftError("SESSION_INVALID", `"${session.slice(0, 80)}" cannot name a session of a file store`, {
        hint: "Use letters, digits, _, - and ., 200 at most.",
      });
    }
    this.#folder = folder;
    this.#session = session;
    this.#path = join(folder, `${session}.jsonl`);
  }

  async read(after: number): Promise<Entry[]> {
    await this.#last.catch(() => {});
    const { entries } = parse(await this.#text(), this.#session);
    return entries.filter(({ seq }) => seq > after);
  }

  append(entries: readonly Entry[], epoch: number): Promise<void> {
    const work = this.#last.catch(() => {}).then(() => this.#write(entries, epoch));
    this.#last = work;
    return work;
  }

  async #write(entries: readonly Entry[], epoch: number): Promise<void> {
    if (this.#epoch === undefined) await this.#prepare();
    checkEpoch(this.#session, epoch, this.#epoch!);
    const lines = entries.map((entry) => `${JSON.stringify(epoch === 0 ? entry : { ...entry, epoch })}\n`).join("");
    const file = await open(this.#path, "a");
    try {
      const { size } = await file.stat();
      await writeWhole(file, lines, size);
    } finally {
      await file.close();
    }
    this.#epoch = epoch;
  }

  /** Cuts off a line that was torn by a crash, so that the next append begins on a line of its own. */
  async #prepare(): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    const text = await this.#text();
    const { epoch, bytes } = parse(text, this.#session);
    if (bytes < Buffer.byteLength(text)) {
      const file = await open(this.#path, "r+");
      await file.truncate(bytes).finally(() => file.close());
    }
    this.#epoch = epoch;
  }

  async #text(): Promise<string> {
    return readFile(this.#path, "utf8").catch((error) => {
      if (error.code === "ENOENT") return "";
      throw error;
    });
  }
}

/** All of the lines or none: what a full disk cut is taken back. */
async function writeWhole(file: FileHandle, lines: string, size: number): Promise<void> {
  try {
    await file.appendFile(lines);
    await file.datasync();
  } catch (error) {
    await file.truncate(size).catch(() => {});
    throw error;
  }
}

function parse(text: string, session: string): { entries: Entry[]; epoch: number; bytes: number } {
  const lines = text.split("\n");
  const torn = lines.pop()!; // after the last line end: nothing, or what a crash left
  const entries: Entry[] = [];
  let epoch = 0;
  let bytes = Buffer.byteLength(text) - Buffer.byteLength(torn);
  for (const [index, line] of lines.entries()) {
    try {
      const { epoch: written = 0, ...entry } = JSON.parse(line) as Entry & { epoch?: number };
      checkVersion(entry as Entry, session);
      entries.push(entry as Entry);
      epoch = Math.max(epoch, written);
    } catch (cause) {
      if (HaftError.is(cause)) throw cause;
      if (index === lines.length - 1) {
        bytes -= Buffer.byteLength(line) + 1;
        break;
      }
      throw new HaftError("STORE_CORRUPT", `Line ${index + 1} of session "${session}" is not JSON`, {
        cause,
        hint: "The lines before it can be kept: cut the file there.",
      });
    }
  }
  return { entries, epoch, bytes };
}

function checkVersion({ v }: Entry, session: string): void {
  if (v === LOG_VERSION) return;
  throw new HaftError(
    "LOG_VERSION_UNKNOWN",
    `Session "${session}" was written in format ${v}; this version reads format ${LOG_VERSION}`,
    {
      hint: "Update Haft.",
    },
  );
}
