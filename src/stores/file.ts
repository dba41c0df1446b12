/** Logs in a folder: one file of JSON lines a session, synced to disk at every append. */
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Entry } from "../core/log.ts";
import type { AppendOptions, Claim, ClaimOptions, ListOptions, SessionInfo, SessionStore } from "../core/store.ts";
import { closedStore } from "./closed.ts";
import { endsOf } from "./file/ends.ts";
import { readLease } from "./file/lease.ts";
import { SessionFile } from "./file/session-file.ts";
import { lastFirst } from "./last-first.ts";
import { readLines } from "./lines.ts";
import { plainStore } from "./plain-store.ts";
import { checkClaim, checkTtl } from "./session-name.ts";

/**
 * `folder` is made when it is first written to. Sessions are named by letters, digits, `_`, `-` and `.`.
 *
 * Several processes of one machine may use it at once: a lock file is held over every append. A writer that is behind
 * gets HaftError `STORE_EPOCH_STALE` or `STORE_CONFLICT`. Other errors: SESSION_INVALID, STORE_CORRUPT, STORE_CLOSED,
 * STORE_FAILED for a lock that is not given back, and those of the file system.
 */
export function fileStore(folder: string): SessionStore {
  return plainStore(new FileStore(folder));
}

class FileStore implements SessionStore {
  readonly #folder: string;
  readonly #files = new Map<string, SessionFile>();
  #isClosed = false;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async read(session: string, after = -1): Promise<Entry[]> {
    return this.#file(session).read(after);
  }

  async append(session: string, entries: readonly Entry[], { epoch }: AppendOptions): Promise<void> {
    return this.#file(session).append(entries, epoch);
  }

  async claim(session: string, options: ClaimOptions): Promise<Claim> {
    checkClaim(options);
    return this.#file(session).claim(options);
  }

  async renew(session: string, { epoch, ttlMs }: { epoch: number; ttlMs: number }): Promise<boolean> {
    checkTtl(ttlMs);
    return this.#file(session).renew(epoch, ttlMs);
  }

  async release(session: string, { epoch }: AppendOptions): Promise<void> {
    return this.#file(session).release(epoch);
  }

  /** Files that changed last are looked into, and no others. */
  async list({ limit = 50 }: ListOptions = {}): Promise<SessionInfo[]> {
    this.#checkOpen();
    await this.#idle();
    const names = (await readdir(this.#folder).catch(noneWhenMissing)).filter((name) => name.endsWith(".jsonl"));
    const changed = await Promise.all(
      names.map(async (name) => ({ name, at: (await stat(join(this.#folder, name))).mtimeMs })),
    );
    const last = changed.sort((one, other) => other.at - one.at).slice(0, limit);
    const infos = await Promise.all(last.map(({ name }) => this.#infoOf(name.slice(0, -".jsonl".length))));
    return infos.filter((info) => info !== undefined).sort(lastFirst);
  }

  /** What was asked for before this is still done. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#idle();
    this.#files.clear();
  }

  async #infoOf(session: string): Promise<SessionInfo | undefined> {
    const path = join(this.#folder, `${session}.jsonl`);
    const ends = await endsOf(path);
    if (!ends) return undefined;
    const { entries } = readLines(Buffer.from(`${ends.first}\n${ends.last}\n`), session);
    const [first, last] = entries.length === 2 ? entries : wholeEnds(readLines(await readFile(path), session).entries);
    if (!first || !last) return undefined;
    const info = { session, entries: last.seq - first.seq + 1, createdAt: first.at, updatedAt: last.at };
    const { worker, until = 0 } = readLease(join(this.#folder, `${session}.lease`)) ?? {};
    return worker !== undefined && until > Date.now() ? { ...info, worker } : info;
  }

  async #idle(): Promise<void> {
    for (const file of this.#files.values()) await file.idle();
  }

  #file(session: string): SessionFile {
    this.#checkOpen();
    const file = this.#files.get(session) ?? new SessionFile(this.#folder, session);
    this.#files.set(session, file);
    return file;
  }

  #checkOpen(): void {
    if (this.#isClosed) throw closedStore();
  }
}

/** The last line was torn: all are read. */
function wholeEnds(entries: Entry[]): [Entry?, Entry?] {
  return [entries[0], entries.at(-1)];
}

function noneWhenMissing(error: NodeJS.ErrnoException): string[] {
  if (error.code === "ENOENT") return [];
  throw error;
}
