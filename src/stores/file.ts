/** Logs in a folder: one file of JSON lines a session, synced to disk at every append. */
import { type FileHandle, mkdir, open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { HaftError } from "../base/errors.ts";
import type { Store } from "../core/log.ts";
import { readLines } from "./lines.ts";
import { checkAppend, type Held } from "./may-append.ts";

/**
 * `folder` is made when it is first written to. Sessions are named by letters, digits, `_`, `-` and `.`.
 *
 * Appends of one process go one after the other. Between processes the file shows who wrote last: a writer that is
 * behind gets HaftError `STORE_EPOCH_STALE` or `STORE_CONFLICT`.
 */
export function fileStore(folder: string): Store {
  const open = new Map<string, SessionFile>();
  const fileOf = (session: string): SessionFile => {
    const known = open.get(session) ?? new SessionFile(folder, session);
    open.set(session, known);
    return known;
  };
  return {
    read: async (session, after = -1) => fileOf(session).read(after),
    append: async (session, entries, { epoch }) => fileOf(session).append(entries, epoch),
  };
}

class SessionFile {
  readonly #folder: string;
  readonly #path: string;
  readonly #session: string;
  /** Appends go one after the other. */
  #last: Promise<unknown> = Promise.resolve();
  /** What the file held after our own last append, and how long it was then. */
  #known: (Held & { size: number }) | undefined;

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

  async read(after: number) {
    await this.#last.catch(() => {});
    const { entries } = readLines(await this.#bytes(), this.#session);
    return entries.filter(({ seq }) => seq > after);
  }

  append(entries: Parameters<Store["append"]>[1], epoch: number): Promise<void> {
    const work = this.#last.catch(() => {}).then(() => this.#write(entries, epoch));
    this.#last = work;
    return work;
  }

  async #write(entries: Parameters<Store["append"]>[1], epoch: number): Promise<void> {
    const lines = entries.map((entry) => `${JSON.stringify(epoch === 0 ? entry : { ...entry, epoch })}\n`).join("");
    if (!this.#known) await mkdir(this.#folder, { recursive: true });
    const file = await open(this.#path, "a+");
    try {
      const held = await this.#heldBy(file);
      checkAppend(this.#session, held, entries, epoch);
      await writeWhole(file, lines, held.size);
      if (held.size === 0) await syncFolder(this.#folder);
      const last = entries.at(-1)?.seq ?? held.last;
      this.#known = { epoch, last, size: held.size + Buffer.byteLength(lines) };
    } finally {
      await file.close();
    }
  }

  /** Read again only when somebody else wrote. A line that a crash tore is cut off. */
  async #heldBy(file: FileHandle): Promise<Held & { size: number }> {
    const { size } = await file.stat();
    if (this.#known?.size === size) return this.#known;
    const { entries, epoch, length } = readLines(await this.#bytes(), this.#session);
    if (length < size) await file.truncate(length);
    return { epoch, last: entries.at(-1)?.seq, size: length };
  }

  async #bytes(): Promise<Buffer> {
    return readFile(this.#path).catch((error) => {
      if (error.code === "ENOENT") return Buffer.alloc(0);
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

/** A new file is in its folder for good only when the folder is synced as well. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => undefined); // not every system opens folders
  await handle?.sync().catch(() => {});
  await handle?.close();
}
