/** What kind of value something is, where `instanceof` and `typeof` do not say it. */

/** How an object of ours is known again, also when another copy of this package made it: by a symbol that all copies share. */
export function hasBrand(value: unknown, brand: symbol, mark: unknown = true): boolean {
  return typeof value === "object" && value !== null && (value as Record<symbol, unknown>)[brand] === mark;
}

/** Is there something to wait for? An await of what is there already is not free. */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  const mayBe = (typeof value === "object" && value !== null) || typeof value === "function";
  return mayBe && typeof (value as PromiseLike<T>).then === "function";
}
