/** Appends of one turn of the event loop, of all sessions, in one transaction: a disk that syncs is asked once for all of them. */
import { HaftError } from "../../base/errors.ts";
import { sqliteError } from "./errors.ts";
import type { Append, LogTables } from "./tables.ts";

interface Waiting {
  append: Append;
  resolve(): void;
  reject(error: HaftError): void;
  refused?: HaftError;
}

export class GroupCommit {
  readonly #path: string;
  readonly #tables: LogTables;
  #waiting: Waiting[] = [];
  #scheduled: ReturnType<typeof setImmediate> | undefined;

  constructor(path: string, tables: LogTables) {
    this.#path = path;
    this.#tables = tables;
  }

  /** Resolves when it is on the disk. */
  add(append: Append): Promise<void> {
    this.#scheduled ??= setImmediate(() => this.flush());
    return new Promise((resolve, reject) => this.#waiting.push({ append, resolve, reject }));
  }

  /** Writes what waits, now. Each append is whole or not there, and hears of its own failure only. */
  flush(): void {
    if (this.#scheduled) clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
    const group = this.#waiting;
    if (group.length === 0) return;
    this.#waiting = [];
    if (this.#write(group) === undefined) return;
    for (const one of group) {
      const failure = this.#write([one]);
      if (failure !== undefined) one.reject(sqliteError(this.#path, failure));
    }
  }

  /** What made the whole transaction fail: a full disk, say. Appends that may not be are refused, and the others go on. */
  #write(group: readonly Waiting[]): unknown {
    try {
      this.#tables.inTransaction(() => {
        for (const one of group) this.#append(one);
      });
    } catch (failure) {
      return failure;
    }
    for (const { refused, resolve, reject } of group) refused ? reject(refused) : resolve();
    return undefined;
  }

  #append(one: Waiting): void {
    one.refused = undefined;
    try {
      this.#tables.append(one.append);
    } catch (error) {
      if (!HaftError.is(error)) throw error;
      one.refused = error; // before anything of it was written
    }
  }
}
