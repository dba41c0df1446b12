/** What a model is shown of functions, exits and objects: TypeScript declarations, made from JSON Schemas. */
import type { JsonSchema } from "../../../core/json-schema.ts";
import { findByWords, type Listed, line, listParts, notThere } from "./find-parts.ts";
import { type Parts, readParts, typesOf } from "./read-parts.ts";
import { writeParts } from "./write-parts.ts";
import { TypeWriter } from "./write-types.ts";

/** A function of one argument that gives a promise. Schemas are trusted to be schemas; names are identifiers. */
export interface Declared {
  /** May be dotted (`orders.list`). */
  name: string;
  description?: string;
  /** Left out: an argument of any kind, or none. */
  input?: JsonSchema;
  /** Left out: anything. */
  output?: JsonSchema;
}

export interface DeclaredExit {
  name: string;
  description?: string;
  /** Left out: any value, or none. */
  value?: JsonSchema;
}

export interface DeclaredObject {
  name: string;
  description?: string;
  properties: readonly { name: string; description?: string; type?: JsonSchema; writable: boolean }[];
  /** Named without the object: `cancel`. */
  functions: readonly Declared[];
}

export interface Declarations {
  /** All of it, in one text that TypeScript accepts. */
  readonly text: string;
  /** What the model is shown at once: `text`, or, where that is too long, one line each. */
  readonly shown: string;
  /** Only one line each is shown; programs have `describe` and `search` then, where nothing else has these names. */
  readonly isShort: boolean;
  /** The declarations of a name with the types that they need, or a sentence with the nearest names. */
  describe(name: string): string;
  /** Up to 10 names with one line each, best first. */
  search(words: string): string;
}

/** @param options `maxChars`: of text that is shown at once; default 40,000 */
export function declare(
  given: { functions: readonly Declared[]; exits: readonly DeclaredExit[]; objects: readonly DeclaredObject[] },
  { maxChars = 40_000 }: { maxChars?: number } = {},
): Declarations {
  const parts = readParts(given);
  const globals = new Set(["exit", "describe", "search"]);
  for (const { name } of [...parts.functions, ...parts.objects]) globals.add(name.split(".")[0]!);
  const types = new TypeWriter(typesOf(parts), globals);
  const list = listParts(parts);
  const text = [...types.named.values(), ...writeParts(parts, types)].join("\n");
  const isShort = text.length > maxChars;
  return {
    text: isShort ? `${text}\n${lookUps(parts).join("\n")}` : text,
    shown: isShort ? shorten(list, maxChars) : text,
    isShort,
    describe: (name) => describeName(name, parts, types) ?? notThere(name, [...list, ...listTypes(types)]),
    search: (words) => searchWords(words, list),
  };
}

function lookUps({ functions, objects }: Parts): string[] {
  const taken = new Set([...functions, ...objects].map(({ name }) => name.split(".")[0]));
  const ours = [
    { name: "describe", parameter: "name: string" },
    { name: "search", parameter: "words: string" },
  ];
  return ours
    .filter(({ name }) => !taken.has(name))
    .map(({ name, parameter }) => `declare function ${name}(${parameter}): Promise<string>`);
}

function shorten(list: readonly Listed[], maxChars: number): string {
  const lines: string[] = [];
  let chars = 0;
  let kind = "";
  for (const [index, listed] of list.entries()) {
    const heading = listed.kind === kind ? "" : `${listed.kind}s:\n`;
    const text = `${heading}${line(listed)}`;
    chars += text.length + 1;
    if (chars > maxChars - 60) {
      lines.push(`… ${(list.length - index).toLocaleString("en-US")} more: search("words") finds them`);
      break;
    }
    lines.push(text);
    kind = listed.kind;
  }
  return lines.join("\n");
}

function describeName(name: string, parts: Parts, types: TypeWriter): string | undefined {
  const isMeant = (one: { name: string }) => one.name === name || one.name.startsWith(`${name}.`);
  const chosen: Parts = {
    functions: parts.functions.filter(isMeant),
    objects: parts.objects.filter((object) => object.name === name),
    exits: parts.exits.filter((exit) => exit.name === name || name === "exit"),
  };
  const type = types.nodeNamed(name);
  const needed = types.namesIn([...typesOf(chosen), ...(type ? [type] : [])]);
  const declared = [...needed.map((one) => types.named.get(one)!), ...writeParts(chosen, types)];
  return declared.length > 0 ? declared.join("\n") : undefined;
}

function listTypes(types: TypeWriter): Listed[] {
  return [...types.named.keys()].map((name) => ({ kind: "type", name, description: undefined }));
}

function searchWords(words: string, list: readonly Listed[]): string {
  const found = findByWords(words, list);
  if (found.length > 0) return found.map(line).join("\n");
  return `Nothing is called so, and no description says it. There are ${list.length} names; try other words.`;
}
