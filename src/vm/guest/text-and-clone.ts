/** The guest's `TextEncoder`, `TextDecoder` and `structuredClone`. The engine brings `atob` and `btoa` itself. */

export const guestTextAndClone = `
define(globals, "TextEncoder", class TextEncoder {
  get encoding() { return "utf-8"; }
  encode(input = "") {
    return host(UTF8_ENCODE, wellFormed(text(input)));
  }
  encodeInto(input, target) {
    const source = wellFormed(text(input));
    const bytes = host(UTF8_ENCODE, source);
    let written = bytes.length <= target.length ? bytes.length : target.length;
    while (written > 0 && written < bytes.length && (bytes[written] & 192) === 128) written--;
    setArray(target, bytes.subarray(0, written));
    return { read: written === bytes.length ? source.length : host(UTF8_DECODE, bytes.buffer, 0, written, 0).length, written };
  }
});

define(globals, "TextDecoder", class TextDecoder {
  #fatal; #ignoreBOM; #rest = new Bytes(0);
  constructor(label = "utf-8", options = {}) {
    const name = text(label).trim().toLowerCase();
    if (name !== "utf-8" && name !== "utf8" && name !== "unicode-1-1-utf-8") throw new RangeErrorClass("TextDecoder knows utf-8 only, not " + name);
    this.#fatal = !!options.fatal;
    this.#ignoreBOM = !!options.ignoreBOM;
  }
  get encoding() { return "utf-8"; }
  get fatal() { return this.#fatal; }
  get ignoreBOM() { return this.#ignoreBOM; }
  decode(input = new Bytes(0), options = {}) {
    const given = ArrayBuffer.isView(input) ? new Bytes(input.buffer, input.byteOffset, input.byteLength) : new Bytes(input);
    let bytes = given;
    if (this.#rest.length > 0) {
      bytes = new Bytes(this.#rest.length + given.length);
      setArray(bytes, this.#rest);
      setArray(bytes, given, this.#rest.length);
    }
    const end = options.stream ? bytes.length - unfinished(bytes) : bytes.length;
    this.#rest = bytes.slice(end);
    const flags = (this.#fatal ? 1 : 0) + (this.#ignoreBOM ? 2 : 0);
    const decoded = host(UTF8_DECODE, bufferOfArray(bytes), offsetOfArray(bytes), end, flags);
    if (decoded === undefined) throw new TypeErrorClass("The bytes are not UTF-8");
    return decoded;
  }
});

/** How many bytes at the end begin a character and do not end it. */
function unfinished(bytes) {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back];
    if ((byte & 192) === 128) continue;
    const needs = byte >= 240 ? 4 : byte >= 224 ? 3 : byte >= 192 ? 2 : 1;
    return needs > back ? back : 0;
  }
  return 0;
}

define(globals, "structuredClone", function structuredClone(value) {
  return cloneOf(value, new MapClass());
});

const cannotClone = (what) => { throw new DOMException(what + " could not be cloned.", "DataCloneError"); };
const errorNames = ["name", "message", "stack", "cause", "code", "data"];

function cloneOf(value, known) {
  if (typeof value === "function") cannotClone("A function");
  if (typeof value === "symbol") cannotClone("A symbol");
  if (typeof value !== "object" || value === null) return value;
  const before = mapGet(known, value);
  if (before !== undefined) return before;
  const keep = (copy) => { mapSet(known, value, copy); return copy; };
  if (isArray(value)) return cloneProperties(value, keep(new Array(value.length)), known);
  if (value instanceof Date) return keep(new Date(value.getTime()));
  if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags));
  if (value instanceof Map) {
    const copy = keep(new Map());
    for (const [key, item] of [...value]) copy.set(cloneOf(key, known), cloneOf(item, known));
    return copy;
  }
  if (value instanceof Set) {
    const copy = keep(new Set());
    for (const item of [...value]) copy.add(cloneOf(item, known));
    return copy;
  }
  if (value instanceof ArrayBuffer) return keep(value.slice(0));
  if (ArrayBuffer.isView(value)) {
    const buffer = cloneOf(value.buffer, known);
    return keep(new value.constructor(buffer, value.byteOffset, value instanceof DataView ? value.byteLength : value.length));
  }
  if (value instanceof Error) return cloneError(value, keep, known);
  if (value instanceof Promise) cannotClone("A promise");
  if (value instanceof WeakMap || value instanceof WeakSet) cannotClone("A weak collection");
  if (value instanceof Number || value instanceof String || value instanceof Boolean || value instanceof BigInt) return keep(Object(value.valueOf()));
  return cloneProperties(value, keep({}), known);
}

function cloneProperties(from, to, known) {
  for (const key of keys(from))
    defineShown(to, key, cloneOf(from[key], known));
  return to;
}

function cloneError(error, keep, known) {
  const copy = keep(new (errorClasses[error.name] ?? ErrorClass)(error.message));
  for (const name of errorNames) {
    const item = error[name];
    if (item !== undefined && copy[name] !== item) define(copy, name, cloneOf(item, known));
  }
  return copy;
}
`;
