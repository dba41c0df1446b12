/** One value as text that a model can read: JSON-like, within a number of characters, reading no more than it shows. */

export interface ShowLimits {
  /** Of all the text. Default 8,000. */
  maxChars?: number;
  /** Of objects in objects. Default 6. */
  maxDepth?: number;
  /** Of each list; properties are shown up to 20 at least. Default 50. */
  maxItems?: number;
}

/** Strings inside of values are cut before they fill the whole text. */
const MAX_STRING = 1_000;
/** Numbers of bytes tell little. */
const MAX_BYTES = 16;
/** What stays for each of those that come after a long one. */
const RESERVE = 80;
const LINE = 100;

export class ValueText {
  readonly #maxDepth: number;
  readonly #maxItems: number;
  readonly #above: object[] = [];

  constructor({ maxDepth = 6, maxItems = 50 }: ShowLimits) {
    this.#maxDepth = maxDepth;
    this.#maxItems = maxItems;
  }

  /** About `room` characters at most, save for words of a few characters. */
  of(value: unknown, room: number): string {
    switch (typeof value) {
      case "string":
        return quote(value, Math.min(MAX_STRING, room));
      case "bigint":
        return `${value}n`;
      case "number":
        return Object.is(value, -0) ? "-0" : String(value);
      case "function":
        return `[function ${String(readData(value, "name") || "without a name")}]`;
      case "object":
        return value === null ? "null" : this.#object(value, room);
      default:
        return String(value);
    }
  }

  #object(value: object, room: number): string {
    if (value instanceof Date) return dateText(value);
    if (value instanceof RegExp) return cutEnd(RegExp.prototype.toString.call(value), room);
    if (value instanceof URL) return `new URL(${quote(value.href, room)})`;
    if (value instanceof Promise) return "[Promise, not awaited]";
    if (this.#above.includes(value)) return "[circular]";
    if (this.#above.length >= this.#maxDepth || room < 12) return summary(value);
    this.#above.push(value);
    const text = this.#holder(value, room);
    this.#above.pop();
    return text;
  }

  #holder(value: object, room: number): string {
    if (Array.isArray(value)) return this.#list("[", "]", value.length, (index) => ["", index, value], room);
    if (value instanceof Map) {
      const entries = value.entries();
      const next = (): Item => {
        const [key, item] = entries.next().value as [unknown, unknown];
        return [`${this.of(key, 200)} => `, "item", { item }];
      };
      return `Map(${value.size}) ${this.#list("{", "}", value.size, next, room)}`;
    }
    if (value instanceof Set) {
      const items = value.values();
      const next = (): Item => ["", "item", { item: items.next().value }];
      return `Set(${value.size}) ${this.#list("{", "}", value.size, next, room)}`;
    }
    if (value instanceof Error) return this.#error(value, room);
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return this.#bytes(value, room);
    return this.#properties(value, Object.keys(value), room);
  }

  #properties(value: object, keys: readonly string[], room: number): string {
    const next = (index: number): Item => [`${keyText(keys[index]!)}: `, keys[index]!, value];
    return this.#list("{", "}", keys.length, next, room, Math.max(20, this.#maxItems));
  }

  #error(error: Error, room: number): string {
    const own = Object.keys(error).filter((key) => !["name", "message", "stack"].includes(key));
    const keys = [...own, ...["cause", "errors"].filter((key) => Object.hasOwn(error, key) && !own.includes(key))];
    const name = String(readData(error, "name") ?? "Error");
    const message = cutEnd(String(readData(error, "message") ?? ""), Math.min(MAX_STRING, room));
    const head = message ? `${name}: ${message}` : name;
    return keys.length === 0 ? `[${head}]` : `[${head} ${this.#properties(error, keys, room - head.length)}]`;
  }

  #bytes(value: ArrayBufferView | ArrayBuffer, room: number): string {
    const isList = ArrayBuffer.isView(value) && !(value instanceof DataView);
    const name = Object.prototype.toString.call(value).slice(8, -1);
    const items = (isList ? value : bytesOf(value)) as unknown as ArrayLike<unknown>;
    const next = (index: number): Item => ["", "item", { item: items[index] }];
    return `${name}(${items.length}) ${this.#list("[", "]", items.length, next, room, MAX_BYTES)}`;
  }

  /** As many as there is room for, and how many more there are. */
  #list(
    open: string,
    close: string,
    total: number,
    next: (index: number) => Item,
    room: number,
    most = this.#maxItems,
  ): string {
    const shown: string[] = [];
    const wanted = Math.min(total, most);
    let left = room - 4;
    while (shown.length < wanted && left > 16) {
      const [label, key, holder] = next(shown.length);
      const reserve = Math.min(left / 2, RESERVE * (wanted - shown.length - 1));
      const text = label + this.#property(holder, key, Math.floor(left - reserve - label.length - 4));
      left -= indent(text).length + 2;
      shown.push(text);
    }
    if (shown.length < total) shown.push(`… ${count(total - shown.length)} more`);
    return layOut(open, close, shown);
  }

  #property(holder: object, key: PropertyKey, room: number): string {
    const property = Object.getOwnPropertyDescriptor(holder, key);
    return property?.get ? "[getter]" : this.of(property?.value, room);
  }
}

/** What stands before it, and where it is. */
type Item = [label: string, key: PropertyKey, holder: object];

export function count(number: number): string {
  return number.toLocaleString("en-US");
}

/** Never ends in half of a character. */
export function cutEnd(text: string, length: number): string {
  if (text.length <= length) return text;
  if (length < 1) return "";
  return `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

function quote(text: string, room: number): string {
  const length = Math.max(8, room - 2);
  const whole = text.length <= length ? JSON.stringify(text) : "";
  if (whole && whole.length <= length + 2) return whole;
  let part = cutEnd(text, Math.max(4, length - 24)).replace(/…$/, "");
  let quoted = JSON.stringify(part);
  if (quoted.length > length) {
    part = cutEnd(part, Math.floor((part.length * length) / quoted.length / 2)).replace(/…$/, "");
    quoted = JSON.stringify(part);
  }
  return `${quoted}… ${count(text.length - part.length)} more chars`;
}

function dateText(date: Date): string {
  const time = Date.prototype.getTime.call(date);
  return Number.isNaN(time) ? "new Date(NaN)" : `new Date("${new Date(time).toISOString()}")`;
}

function summary(value: object): string {
  if (Array.isArray(value)) return value.length === 0 ? "[]" : `[… ${count(value.length)} items]`;
  if (value instanceof Map || value instanceof Set) {
    return `${value instanceof Map ? "Map" : "Set"}(${value.size})`;
  }
  return value instanceof Error ? `[${String(readData(value, "name") ?? "Error")}]` : "{…}";
}

/** Own or inherited, and never by running a getter. */
function readData(value: object, key: string): unknown {
  for (let holder: object | null = value; holder !== null; holder = Object.getPrototypeOf(holder)) {
    const property = Object.getOwnPropertyDescriptor(holder, key);
    if (property) return property.value;
  }
  return undefined;
}

function bytesOf(value: ArrayBufferView | ArrayBuffer): Uint8Array {
  return ArrayBuffer.isView(value)
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : new Uint8Array(value);
}

function keyText(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) && key.length <= 200 ? key : quote(key, 200);
}

/** On one line where it is short, or where all its parts are. */
function layOut(open: string, close: string, parts: readonly string[]): string {
  if (parts.length === 0) return open + close;
  const space = open === "{" ? " " : "";
  const line = `${open}${space}${parts.join(", ")}${space}${close}`;
  const isFlat = !line.includes("\n") && (line.length <= LINE || parts.every((part) => part.length <= 24));
  return isFlat ? line : `${open}\n${parts.map(indent).join(",\n")}\n${close}`;
}

function indent(text: string): string {
  return `  ${text.replaceAll("\n", "\n  ")}`;
}
