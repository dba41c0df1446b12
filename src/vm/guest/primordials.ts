/** First part of the guest's prelude: what the rest of it uses, taken before any program can change it. */

/**
 * The prelude is text, for it runs in another engine. Its parts are put together in prelude.ts and share one scope.
 * Once a program runs they call nothing through a prototype that it could change: no methods of arrays or maps, no
 * iteration, no objects with a prototype where properties are read back.
 */
export const guestPrimordials = String.raw`
const uncurry = Function.prototype.bind.bind(Function.prototype.call);
const PromiseClass = Promise, ErrorClass = Error, TypeErrorClass = TypeError, RangeErrorClass = RangeError;
const MapClass = Map, ProxyClass = Proxy, Bytes = Uint8Array;
const { defineProperty, freeze, keys, getPrototypeOf, getOwnPropertyDescriptor, preventExtensions } = Object;
const { isArray } = Array;
const { apply, ownKeys } = Reflect;
const { stringify, parse } = JSON;
const text = String, number = Number;
const isErrorObject = Error.isError;
const sliceText = uncurry(String.prototype.slice);
const findText = uncurry(String.prototype.indexOf);
const splitText = uncurry(String.prototype.split);
const wellFormed = uncurry(String.prototype.toWellFormed);
const describeSymbol = uncurry(Symbol.prototype.toString);
const mapGet = uncurry(Map.prototype.get), mapSet = uncurry(Map.prototype.set);
const sizeOfMap = uncurry(getOwnPropertyDescriptor(Map.prototype, "size").get);
const sizeOfSet = uncurry(getOwnPropertyDescriptor(Set.prototype, "size").get);
const stackOf = uncurry(getOwnPropertyDescriptor(Error.prototype, "stack").get);
const TypedArray = getPrototypeOf(Uint8Array);
const tagOfArray = uncurry(getOwnPropertyDescriptor(TypedArray.prototype, Symbol.toStringTag).get);
const bufferOfArray = uncurry(getOwnPropertyDescriptor(TypedArray.prototype, "buffer").get);
const offsetOfArray = uncurry(getOwnPropertyDescriptor(TypedArray.prototype, "byteOffset").get);
const bytesOfArray = uncurry(getOwnPropertyDescriptor(TypedArray.prototype, "byteLength").get);
const bytesOfBuffer = uncurry(getOwnPropertyDescriptor(ArrayBuffer.prototype, "byteLength").get);
const setArray = uncurry(TypedArray.prototype.set);
const toBase64 = uncurry(Uint8Array.prototype.toBase64);
const fromBase64 = Uint8Array.fromBase64.bind(Uint8Array);
const promiseWithResolvers = Promise.withResolvers.bind(Promise);
const nativeQueueMicrotask = queueMicrotask;

/** A table that knows only what it was given. */
const table = () => ({ __proto__: null });
const globals = globalThis;
const define = (target, name, value) =>
  defineProperty(target, name, { __proto__: null, value, writable: true, enumerable: false, configurable: true });

const defineShown = (target, name, value) =>
  defineProperty(target, name, { __proto__: null, value, writable: true, enumerable: true, configurable: true });

/** A rejected promise, which is reported unless somebody handles it. */
function rejected(reason) {
  const { promise, reject } = promiseWithResolvers();
  reject(reason);
  return promise;
}

/** Where it was made in the program: the lines of the prelude left out. */
function ownStack(stack) {
  const lines = splitText(stack, "\n");
  let kept = "";
  for (let index = 0; index < lines.length; index++)
    if (lines[index] !== "" && findText(lines[index], "(haft:") < 0) kept += lines[index] + "\n";
  return kept;
}

delete Error.prepareStackTrace;
delete Error.stackTraceLimit;
delete globals.SharedArrayBuffer;
`;
