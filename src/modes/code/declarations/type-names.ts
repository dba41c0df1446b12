/** Names for types: from what a schema calls them, unlike each other and unlike everything that a program can see. */
import { libraryTypes } from "./library-types.ts";

/** `order_item` → `OrderItem`; empty where nothing of the text can stand in a name. */
export function typeName(text: string): string {
  const words = text.slice(0, 100).match(/[A-Za-z0-9$]+/g) ?? [];
  const name = words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join("");
  return name.replace(/^\d+/, "").slice(0, 50);
}

/** `Orders` → `Order`, for what a list holds. */
export function singular(name: string): string {
  if (/[^aeiou]ies$/.test(name)) return name.replace(/ies$/, "y");
  if (/(?:x|ch|sh|ss)es$/.test(name)) return name.slice(0, -2);
  return /[^sui]s$/.test(name) && name.length > 3 ? name.slice(0, -1) : name;
}

export class TypeNames {
  readonly #taken: Set<string>;

  constructor(taken: Iterable<string>) {
    this.#taken = new Set(taken);
  }

  /** The name, or the name with a number. */
  unique(wanted: string): string {
    const base = wanted || "Value";
    let name = base;
    for (let number = 2; this.#isTaken(name); number++) name = `${base}${number}`;
    this.#taken.add(name);
    return name;
  }

  #isTaken(name: string): boolean {
    return this.#taken.has(name) || libraryTypes.has(name) || name.endsWith("Constructor");
  }
}
