/** How an object of ours is known again, also when another copy of this package made it: by a symbol that all copies share. */
export function hasBrand(value: unknown, brand: symbol, mark: unknown = true): boolean {
  return typeof value === "object" && value !== null && (value as Record<symbol, unknown>)[brand] === mark;
}
