/** The codec of `base/codec.ts` as a program of its own, for the other side: evaluated in the VM before any code of a model. */
import { guestDecodeSource } from "./guest-decode.ts";
import { guestEncodeSource } from "./guest-encode.ts";
import { guestKindsSource } from "./guest-kinds.ts";

/**
 * Text of a function expression `(base64) => ({ encode, decode })`, with `base64` as
 * `{ encode(bytes: Uint8Array): string, decode(text: string): Uint8Array }`, both beyond the reach of a program.
 *
 * - `encode(value, { isLossy, path })` gives the JSON text that the host's codec would write. What cannot be handed over is a
 *   TypeError that names its place (`input.items[0]`, from `path`); with `isLossy`, a word in its place (`[promise]`).
 * - `decode(text)` gives the value, of any JSON text; TypeError or SyntaxError where it is none.
 *
 * Whatever a program does to globals and prototypes, it changes neither: all that is used is taken before it starts, called
 * without a look at a prototype, and kept in objects that have none. So there is no `for of`, no spread, no `instanceof` in here,
 * and no assignment to a new property of an object with a prototype. An object's getters run once; `__proto__` is no key, in or out.
 */
export const guestCodecSource = `(base64) => {
"use strict";
const { getPrototypeOf, setPrototypeOf, getOwnPropertyDescriptor, defineProperty, hasOwn, keys, prototype: ObjectPrototype } = Object;
const { isArray, prototype: ArrayPrototype } = Array;
const { parse, stringify } = JSON;
const { isInteger } = Number;
const { toStringTag } = Symbol;
const Text = String, Big = BigInt, Mistake = TypeError;
const DateClass = Date, RegExpClass = RegExp, MapClass = Map, SetClass = Set, Bytes = Uint8Array, Bits = DataView;
const LinkClass = typeof URL === "function" ? URL : undefined;

/** A method as a function of its object; bound here, it looks up nothing later. */
const { bind, call } = Function.prototype;
const free = (method) => bind.call(call, method);
const getter = (holder, key) => free(getOwnPropertyDescriptor(holder, key).get);
const apply = free(call);
const getterOf = free(ObjectPrototype.__lookupGetter__);

const textIncludes = free(Text.prototype.includes);
const textSlice = free(Text.prototype.slice);
const dateTime = free(DateClass.prototype.getTime);
const dateText = free(DateClass.prototype.toISOString);
const mapEntries = free(MapClass.prototype.entries);
const mapNext = free(getPrototypeOf(new MapClass().entries()).next);
const mapSet = free(MapClass.prototype.set);
const setValues = free(SetClass.prototype.values);
const setNext = free(getPrototypeOf(new SetClass().values()).next);
const setAdd = free(SetClass.prototype.add);
const regexpSource = getter(RegExpClass.prototype, "source");
const linkText = LinkClass && getter(LinkClass.prototype, "href");
const TypedPrototype = getPrototypeOf(Bytes.prototype);
const typedName = getter(TypedPrototype, toStringTag);
const typedBuffer = getter(TypedPrototype, "buffer");
const typedOffset = getter(TypedPrototype, "byteOffset");
const typedLength = getter(TypedPrototype, "byteLength");
const bitsBuffer = getter(Bits.prototype, "buffer");
const bitsOffset = getter(Bits.prototype, "byteOffset");
const bitsLength = getter(Bits.prototype, "byteLength");
const bufferLength = getter(ArrayBuffer.prototype, "byteLength");

const flags = plainList();
for (const [letter, name] of Object.entries({ d: "hasIndices", g: "global", i: "ignoreCase", m: "multiline", s: "dotAll",
  u: "unicode", v: "unicodeSets", y: "sticky" })) {
  if (hasOwn(RegExpClass.prototype, name)) flags[flags.length] = { __proto__: null, letter, read: getter(RegExpClass.prototype, name) };
}

const byteClasses = { __proto__: null, Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array,
  Float32Array, Float64Array, BigInt64Array, BigUint64Array, DataView };
const errorClasses = { __proto__: null, Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
const AggregateClass = AggregateError;

/** A map that no change of Map.prototype reaches. */
const tableMethods = { __proto__: null, get: MapClass.prototype.get, set: MapClass.prototype.set, has: MapClass.prototype.has,
  delete: MapClass.prototype.delete };
function newTable() { return setPrototypeOf(new MapClass(), tableMethods); }

/** Of the prototype of each built-in class of errors. */
const errorNames = newTable();
for (const [name, { prototype }] of Object.entries({ ...errorClasses, AggregateError })) errorNames.set(prototype, name);

function plainList() { return setPrototypeOf([], null); }

${guestEncodeSource}
${guestKindsSource}
${guestDecodeSource}
return { encode, decode };
}`;
