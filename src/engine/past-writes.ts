/** What the log says of properties: which value each of them has, and which writes of an open iteration were made. */
import type { Json } from "../base/json.ts";
import type { Entry, EntryOf } from "../core/log.ts";

/** The last value of a property, and what it was when the iteration began that wrote it. */
export interface Written {
  readonly iteration: string;
  readonly value: Json | undefined;
  readonly before: Json | undefined;
}

export class PastWrites {
  /** Of all runs of the session, by path: like assigns, values outlive a run. */
  readonly values = new Map<string, Written>();
  readonly #byKey = new Map<string, EntryOf<"state">>();
  /** The highest number of each iteration. */
  readonly #last = new Map<string, number>();

  constructor(run: string, entries: readonly Entry[]) {
    for (const entry of entries) {
      if (entry.type !== "state") continue;
      if (entry.key.startsWith(`${run}/`)) this.note(entry);
      else note(this.values, entry);
    }
  }

  /** A write of this run. */
  note(entry: EntryOf<"state">): void {
    note(this.values, entry);
    this.#byKey.set(entry.key, entry);
    const { iteration, number } = placeOf(entry.key);
    this.#last.set(iteration, Math.max(number, this.#last.get(iteration) ?? 0));
  }

  /** The write of this key. */
  write(key: string): EntryOf<"state"> | undefined {
    return this.#byKey.get(key);
  }

  /** A program has come further than this write, so it was made, or there was nothing to write. */
  isPassed(iteration: string, number: number): boolean {
    return number < (this.#last.get(iteration) ?? 0);
  }
}

/** Several writes of one iteration are one step from before it. */
function note(values: Map<string, Written>, { key, path, before, after }: EntryOf<"state">): void {
  const { iteration } = placeOf(key);
  const last = values.get(path);
  values.set(path, { iteration, value: after, before: last?.iteration === iteration ? last.before : before });
}

/** `<run>/<iteration>/w<number>` */
export function keyOfWrite(iteration: string, number: number): string {
  return `${iteration}/w${number}`;
}

function placeOf(key: string): { iteration: string; number: number } {
  const at = key.lastIndexOf("/w");
  return { iteration: key.slice(0, at), number: Number(key.slice(at + 2)) };
}
