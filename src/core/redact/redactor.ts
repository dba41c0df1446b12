/** Everything that is taken out of what a run records, tells and sends: secrets first, then rules in their order. */
import { isPlainObject, setOwn } from "../../base/json.ts";
import { type ByteStream, SecretStream } from "./byte-stream.ts";
import { Matcher } from "./matcher.ts";
import { type Rule, RuleStream } from "./rules.ts";
import { isOfTheLog } from "./structure.ts";

/** Numbers of fewer digits are no secrets. */
const SHORTEST_NUMBER = 8;

export class Redactor {
  readonly matcher: Matcher;
  readonly #rules: readonly Rule[];
  #scratch = Buffer.allocUnsafeSlow(4096);

  constructor(values: Iterable<readonly [name: string, value: string]>, rules: readonly Rule[] = []) {
    this.matcher = new Matcher(values);
    this.#rules = rules;
  }

  /** There is nothing to look for. */
  get none(): boolean {
    return this.matcher.none && this.#rules.length === 0;
  }

  /** The value itself when there is nothing in it to take out; else a copy. */
  value<T>(value: T): T {
    return this.#walk(value, undefined) as T;
  }

  text(text: string): string {
    let cleaned = this.matcher.none ? text : this.#withoutSecrets(text);
    for (const rule of this.#rules) cleaned = rule.clean(cleaned);
    return cleaned;
  }

  stream(): ByteStream {
    const streams: ByteStream[] = this.#rules.map((rule) => new RuleStream(rule));
    if (!this.matcher.none) streams.unshift(new SecretStream(this.matcher));
    return streams.length === 1 ? streams[0]! : new ChainedStreams(streams);
  }

  #walk(value: unknown, key: string | undefined): unknown {
    switch (typeof value) {
      case "string":
        return isOfTheLog(key, value) ? value : this.text(value);
      case "number":
      case "bigint":
        return this.#number(value);
      case "object":
        if (Array.isArray(value)) return this.#list(value, key);
        return isPlainObject(value) ? this.#object(value) : value;
      default:
        return value;
    }
  }

  #number(value: number | bigint): unknown {
    if (
      value < 10 ** (SHORTEST_NUMBER - 1) &&
      value > -(10 ** (SHORTEST_NUMBER - 1)) &&
      Number.isInteger(Number(value))
    )
      return value;
    const text = String(value);
    const cleaned = this.text(text);
    return cleaned === text ? value : cleaned;
  }

  #list(list: readonly unknown[], key: string | undefined): readonly unknown[] {
    let copy: unknown[] | undefined;
    for (let index = 0; index < list.length; index++) {
      const item = this.#walk(list[index], key);
      if (item === list[index]) continue;
      copy ??= list.slice();
      copy[index] = item;
    }
    return copy ?? list;
  }

  #object(object: Record<string, unknown>): Record<string, unknown> {
    let changed = false;
    const pairs: [key: string, value: unknown][] = [];
    for (const key of Object.keys(object)) {
      const name = isOfTheLog(undefined, key) ? key : this.text(key);
      const item = this.#walk(object[key], key);
      changed ||= name !== key || item !== object[key];
      pairs.push([name, item]);
    }
    if (!changed) return object;
    const copy: Record<string, unknown> = {};
    for (const [key, item] of pairs) setOwn(copy, key, item);
    return copy;
  }

  #withoutSecrets(text: string): string {
    if (text.length * 3 < 4) return text;
    const bytes = this.#bytesOf(text);
    if (this.matcher.next(bytes, 0, bytes.length - 1, bytes.length) < 0) return text;
    return SecretStream.clean(this.matcher, bytes).toString();
  }

  /** Short texts share one place: they are looked at, and let go. */
  #bytesOf(text: string): Buffer {
    if (text.length * 3 > this.#scratch.length) return Buffer.from(text);
    return this.#scratch.subarray(0, this.#scratch.write(text));
  }
}

/** What one lets through goes to the next. */
class ChainedStreams implements ByteStream {
  readonly #streams: readonly ByteStream[];

  constructor(streams: readonly ByteStream[]) {
    this.#streams = streams;
  }

  push(bytes: Uint8Array): Buffer {
    return this.#through(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), false);
  }

  end(): Buffer {
    return this.#through(Buffer.alloc(0), true);
  }

  #through(bytes: Buffer, isLast: boolean): Buffer {
    let passed = bytes;
    for (const stream of this.#streams) {
      const pushed = stream.push(passed);
      passed = isLast ? Buffer.concat([pushed, stream.end()]) : pushed;
    }
    return passed;
  }
}

export function chained(streams: readonly ByteStream[]): ByteStream {
  return new ChainedStreams(streams);
}
