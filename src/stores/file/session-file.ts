/** The log of one session in a folder: its lines, its lock, and its lease. */
import { type FileHandle, mkdir, open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { HaftError } from "../../base/errors.ts";
import type { Entry } from "../../core/log.ts";
import type { Claim, ClaimOptions } from "../../core/store.ts";
import { readLines } from "../lines.ts";
import { checkAppend, type Held } from "../may-append.ts";
import { fileError } from "./errors.ts";
import { type Lease, readLease, writeLease } from "./lease.ts";
import { withLock } from "./lock.ts";

type HeldFile = Held & { size: number };

export class SessionFile {
  readonly #folder: string;
  readonly #session: string;
  readonly #path: string;
  readonly #leasePath: string;
  /** What is asked for here is done one after the other. */
  #last: Promise<unknown> = Promise.resolve();
  /** What the file held after our own last append, and how long it was then. */
  #known: HeldFile | undefined;
  #hasFolder = false;

  constructor(folder: string, session: string) {
    if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}$/.test(session)) {
      throw new HaftError("SESSION_INVALID", `"${session.slice(0, 80)}" cannot name a session of a file store`, {
        hint: "Use letters, digits, _, - and ., 200 at most.",
      });
    }
    this.#folder = folder;
    this.#session = session;
    this.#path = join(folder, `${session}.jsonl`);
    this.#leasePath = join(folder, `${session}.lease`);
  }

  /** Without the lock: what is not whole yet is not read. */
  async read(after: number): Promise<Entry[]> {
    await this.#last.catch(() => {});
    const { entries } = readLines(await this.#bytes(), this.#session);
    return entries.filter(({ seq }) => seq > after);
  }

  append(entries: readonly Entry[], epoch: number): Promise<void> {
    return this.#alone(() => this.#write(entries, epoch));
  }

  claim({ worker, ttlMs }: ClaimOptions): Promise<Claim> {
    return this.#alone(async () => {
      const lease = readLease(this.#leasePath);
      const now = Date.now();
      if (lease?.worker !== undefined && lease.until! > now)
        return { granted: false, worker: lease.worker, expiresInMs: lease.until! - now, epoch: lease.epoch };
      const epoch = Math.max(lease?.epoch ?? 0, await this.#writtenEpoch()) + 1;
      await writeLease(this.#leasePath, { epoch, worker, until: now + ttlMs });
      return { granted: true, epoch };
    });
  }

  renew(epoch: number, ttlMs: number): Promise<boolean> {
    return this.#alone(async () => {
      const lease = this.#ownLease(epoch);
      if (lease) await writeLease(this.#leasePath, { ...lease, until: Date.now() + ttlMs });
      return lease !== undefined;
    });
  }

  release(epoch: number): Promise<void> {
    return this.#alone(async () => {
      if (this.#ownLease(epoch)) await writeLease(this.#leasePath, { epoch });
    });
  }

  /** Resolves when all that was asked for is done, well or not. */
  async idle(): Promise<void> {
    await this.#last.catch(() => {});
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.catch(() => {}).then(() => this.#locked(work));
    this.#last = done;
    return done;
  }

  async #locked<T>(work: () => Promise<T>): Promise<T> {
    try {
      if (!this.#hasFolder) await mkdir(this.#folder, { recursive: true });
      this.#hasFolder = true;
      return await withLock(join(this.#folder, `${this.#session}.lock`), work);
    } catch (error) {
      this.#hasFolder = false; // somebody may have removed it
      throw fileError(this.#path, error);
    }
  }

  /** Undefined when somebody else has taken it since, or wrote with a higher epoch, or when it was given back. */
  #ownLease(epoch: number): Lease | undefined {
    const lease = readLease(this.#leasePath);
    return lease?.worker !== undefined && lease.epoch === epoch ? lease : undefined;
  }

  async #write(entries: readonly Entry[], epoch: number): Promise<void> {
    const lines = entries.map((entry) => `${JSON.stringify(epoch === 0 ? entry : { ...entry, epoch })}\n`).join("");
    const file = await open(this.#path, "a+");
    try {
      const held = await this.#heldBy(file);
      const granted = readLease(this.#leasePath)?.epoch ?? 0;
      checkAppend(this.#session, { epoch: Math.max(held.epoch, granted), last: held.last }, entries, epoch);
      await writeWhole(file, lines, held.size);
      if (held.size === 0) await syncFolder(this.#folder);
      const last = entries.at(-1)?.seq ?? held.last;
      this.#known = { epoch: lines === "" ? held.epoch : epoch, last, size: held.size + Buffer.byteLength(lines) };
    } finally {
      await file.close();
    }
  }

  /** Read again only when somebody else wrote. A line that a crash tore is cut off. */
  async #heldBy(file: FileHandle): Promise<HeldFile> {
    const { size } = await file.stat();
    if (this.#known?.size === size) return this.#known;
    const { entries, epoch, length } = readLines(await this.#bytes(), this.#session);
    if (length < size) await file.truncate(length);
    return { epoch, last: entries.at(-1)?.seq, size: length };
  }

  async #writtenEpoch(): Promise<number> {
    return readLines(await this.#bytes(), this.#session).epoch;
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
