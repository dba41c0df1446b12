/** Which names tools and exits may have: identifiers that work as a function in a program and at every provider. */
import { HaftError } from "../base/errors.ts";
import { describeValue } from "../base/json.ts";

const MAX_LENGTH = 50;
const shape = /^[A-Za-z][A-Za-z0-9_]{0,49}$/;

/** What the language does not take as the name of a function or variable. */
export const keywords: ReadonlySet<string> = new Set(
  "await break case catch class const continue debugger default delete do else enum export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof var void while with yield arguments eval undefined".split(
    " ",
  ),
);

/** The words of the loop and of programs (the third seed's engine reserves the same), in any capitals. */
const loopWords =
  "think listen return exit action function callback code execute jsx object string number boolean array";

const reserved = new Set([...keywords, ...loopWords.split(" ")]);

/** What a member of an object may not be called: names that mean something on every object of a program. */
const memberWords = "then constructor prototype toString valueOf toJSON";

const reservedMembers = new Set([...keywords, ...memberWords.toLowerCase().split(" ")]);

/** @throws HaftError with the code given, in a sentence that names what it is. */
export function checkName(name: unknown, owner: string, code: string, isBuiltIn = false): asserts name is string {
  checkShape(name, owner, code);
  if (isBuiltIn || !reserved.has(name.toLowerCase())) return;
  throw new HaftError(code, `${owner} has the name "${name}", which is a reserved word`, {
    hint: `Choose another, such as "${name}_tool".`,
  });
}

/** Behind a dot the words of the loop are free: `Orders.number`. */
export function checkMemberName(name: unknown, owner: string, code: string): asserts name is string {
  checkShape(name, owner, code);
  if (!reservedMembers.has(name.toLowerCase())) return;
  throw new HaftError(code, `${owner} has the name "${name}", which is a reserved word`, {
    hint: `Choose another, such as "${name}_value".`,
  });
}

function checkShape(name: unknown, owner: string, code: string): asserts name is string {
  if (typeof name === "string" && shape.test(name)) return;
  const found = typeof name === "string" ? JSON.stringify(name) : describeValue(name);
  throw new HaftError(code, `${owner} has the invalid name ${found}`, {
    hint: "A name starts with a letter and has only letters, digits and underscores, 50 at most.",
  });
}

/** Gives every item of a repeated name a number, on copies; the last keeps the bare name. */
export function uniqueNames<T extends { readonly name: string }>(
  items: readonly T[],
  rename: (item: T, name: string) => T,
): T[] {
  const taken = new Set(items.map(({ name }) => name));
  const last = new Map(items.map((item, index) => [item.name, index]));
  return items.map((item, index) => {
    if (last.get(item.name) === index) return item;
    let number = 1;
    while (taken.has(numbered(item.name, number))) number++;
    const name = numbered(item.name, number);
    taken.add(name);
    return rename(item, name);
  });
}

function numbered(name: string, number: number): string {
  return name.slice(0, MAX_LENGTH - String(number).length) + number;
}

/** The nearest of the names, when one is near enough to be a slip. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  const wanted = plainName(name);
  let best: { name: string; distance: number } | undefined;
  for (const candidate of names) {
    const known = plainName(candidate);
    const distance = editDistance(wanted, known);
    const isSlip = distance <= Math.max(2, Math.floor(known.length / 3)) && distance * 2 <= known.length + 1;
    if (isSlip && distance < (best?.distance ?? Infinity)) best = { name: candidate, distance };
  }
  return best?.name;
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll("_", "");
}

function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 20) return Infinity;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length]!;
}
