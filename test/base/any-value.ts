/** Any value that the codec keeps, and the same with parts tied to each other. */
import fc from "fast-check";
import { setOwn } from "../../src/base/json.ts";

export const anyValue = valuesOf({ isPortable: false });

/** Without what a program's VM does not have: URLs, and `__proto__` as a key. */
export const anyPortableValue = valuesOf({ isPortable: true });

/** Parts of it hold other parts, and themselves. */
export const anyGraph = graphsOf(anyValue);
export const anyPortableGraph = graphsOf(anyPortableValue);

function valuesOf({ isPortable }: { isPortable: boolean }): fc.Arbitrary<unknown> {
  return fc.letrec((tie) => ({
    leaf: fc.oneof(
      fc.string({ unit: "binary" }),
      fc.double(),
      fc.constantFrom(-0, Number.NaN, Number.POSITIVE_INFINITY, null, true, false, undefined),
      fc.bigInt(),
      fc.date({ noInvalidDate: false }),
      fc.uint8Array({ maxLength: 9 }),
      fc.int32Array({ maxLength: 3 }),
      fc.float64Array({ maxLength: 3 }),
      fc.bigInt64Array({ maxLength: 3 }),
      fc.uint8Array({ maxLength: 9 }).map((bytes) => bytes.buffer),
      ...(isPortable ? [] : [fc.webUrl().map((url) => new URL(url))]),
      fc.constantFrom(/a\/b+/giu, /^$/),
    ),
    key: fc.oneof(
      fc.string().filter((key) => !(isPortable && key === "__proto__")),
      fc.constantFrom(isPortable ? "x" : "__proto__", "$haft", "toJSON", "constructor", "value", "then", "length", "0"),
    ),
    object: fc
      .array(fc.tuple(tie("key"), tie("node")), { maxLength: 4 })
      .map((entries) => Object.fromEntries(entries as [string, unknown][])),
    error: fc
      .tuple(fc.constantFrom(Error, TypeError, RangeError), fc.string(), tie("node"), tie("node"))
      .map(([make, message, cause, data]) => Object.assign(new make(message, { cause }), { code: "E_TEST", data })),
    aggregate: fc
      .tuple(fc.array(tie("node"), { maxLength: 3 }), fc.string())
      .map(([errors, message]) => new AggregateError(errors, message)),
    node: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      tie("leaf"),
      fc.array(tie("node"), { maxLength: 4 }),
      tie("object"),
      fc.array(fc.tuple(tie("node"), tie("node")), { maxLength: 3 }).map((entries) => new Map(entries)),
      fc.array(tie("node"), { maxLength: 3 }).map((items) => new Set(items)),
      tie("error"),
      tie("aggregate"),
    ),
  })).node;
}

function graphsOf(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const ties = fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 1, maxLength: 6 });
  return fc.tuple(fc.array(values, { minLength: 1, maxLength: 3 }), ties).map(([value, ties]) => {
    const parts = containers(value);
    for (const [from, to] of ties) put(parts[from % parts.length]!, parts[to % parts.length]!);
    return value;
  });
}

function containers(value: unknown, found = new Set<object>()): object[] {
  const isLeaf =
    typeof value !== "object" ||
    value === null ||
    value instanceof Date ||
    value instanceof RegExp ||
    value instanceof URL ||
    value instanceof ArrayBuffer ||
    ArrayBuffer.isView(value);
  if (!isLeaf && !found.has(value)) {
    found.add(value);
    for (const part of partsOf(value)) containers(part, found);
  }
  return [...found];
}

/** What a value is made of, in the codec's order. */
export function partsOf(value: object): unknown[] {
  if (value instanceof Map) return [...value].flat();
  if (value instanceof Set) return [...value];
  if (value instanceof Error) {
    const { data, cause, errors } = value as Error & { data?: unknown; errors?: unknown };
    return [data, cause, errors];
  }
  return Object.values(value);
}

function put(holder: object, part: object): void {
  if (Array.isArray(holder)) holder.push(part);
  else if (holder instanceof Map) holder.set(part, holder);
  else if (holder instanceof Set) holder.add(part);
  else if (holder instanceof Error) holder.cause = part;
  else setOwn(holder, `tie ${Object.keys(holder).length}`, part);
}
