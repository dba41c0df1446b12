/** What a command writes, gathered as it comes: all of it up to a limit, and its end beyond that. */
import type { OutputChunk } from "../../core/sandbox.ts";
import { ByteList } from "./byte-list.ts";
import type { HiddenValues } from "./hidden-values.ts";
import { StreamFilter } from "./stream-filter.ts";

/** So much is kept, and saved to a file when the model is shown only a part. */
export const MAX_KEPT = 50 * 1024 * 1024;
/** Enough to find 32 KiB of text behind escape codes and progress bars. */
export const TAIL_BYTES = 1024 * 1024;

export class CommandOutput {
  /** Nothing was pushed yet. */
  isUntouched = true;
  /** Bytes that came, kept or not. */
  total = 0;
  lineFeeds = 0;
  readonly #filters: Record<OutputChunk["stream"], StreamFilter>;
  readonly #pass: (text: string) => void;
  readonly #first = new ByteList();
  readonly #last = new ByteList();

  /** `pass` is told the text as it comes. */
  constructor(hidden: HiddenValues, pass: (text: string) => void) {
    this.#filters = { stdout: new StreamFilter(hidden), stderr: new StreamFilter(hidden) };
    this.#pass = pass;
  }

  push({ stream, data }: OutputChunk): void {
    this.isUntouched = false;
    this.#take(this.#filters[stream].push(data));
  }

  end(): void {
    this.#take(this.#filters.stdout.end());
    this.#take(this.#filters.stderr.end());
  }

  get isComplete(): boolean {
    return this.total <= MAX_KEPT;
  }

  /** The first `size` bytes, or all that are kept. */
  first(size = MAX_KEPT): Buffer {
    return this.#first.bytes(size);
  }

  /** At most the last `TAIL_BYTES`. */
  last(): Buffer {
    const all = this.#last.bytes();
    return all.subarray(Math.max(0, all.length - TAIL_BYTES));
  }

  #take(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.total += bytes.length;
    for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) this.lineFeeds++;
    this.#first.add(bytes.subarray(0, MAX_KEPT - this.#first.size));
    this.#last.add(bytes);
    this.#last.keepLast(TAIL_BYTES);
    this.#pass(bytes.toString());
  }
}
