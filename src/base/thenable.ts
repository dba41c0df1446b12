/** Is there something to wait for? An await of what is there already is not free. */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  const mayBe = (typeof value === "object" && value !== null) || typeof value === "function";
  return mayBe && typeof (value as PromiseLike<T>).then === "function";
}
