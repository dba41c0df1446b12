/** Finding a declaration by its name, or by words. */
import { nearest } from "../../../core/names.ts";
import { cutText, firstSentence, plainLine } from "./literal.ts";
import type { Parts } from "./read-parts.ts";

export interface Listed {
  kind: "function" | "object" | "exit" | "type";
  name: string;
  description: string | undefined;
}

const MAX_FOUND = 10;

export function listParts({ functions, objects, exits }: Parts): Listed[] {
  return [
    ...functions.map(({ name, description }): Listed => ({ kind: "function", name, description })),
    ...objects.map(({ name, description }): Listed => ({ kind: "object", name, description })),
    ...exits.map(({ name, description }): Listed => ({ kind: "exit", name, description })),
  ];
}

/** `orders.list: List orders, newest first` */
export function line({ name, description }: Listed): string {
  const sentence = firstSentence(description);
  return sentence ? `${name}: ${sentence}` : name;
}

/** Up to 10, best first, those that fit equally well in their own order. */
export function findByWords(text: string, list: readonly Listed[]): Listed[] {
  const wanted = [...new Set(wordsOf(text.slice(0, 200)))];
  return list
    .map((listed) => ({ listed, score: score(listed, wanted) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_FOUND)
    .map(({ listed }) => listed);
}

/** A sentence for a name that is not there. */
export function notThere(name: string, list: readonly Listed[]): string {
  const asked = cutText(plainLine(name), 60);
  const names = list.map((listed) => listed.name);
  const lastWords = new Map(names.map((full) => [full.split(".").at(-1)!, full]));
  const slip = nearest(asked, names) ?? lastWords.get(nearest(asked.split(".").at(-1)!, [...lastWords.keys()]) ?? "");
  const alike = [...(slip ? [slip] : []), ...findByWords(asked, list).map((listed) => listed.name)];
  const shown = [...new Set(alike)].slice(0, 5);
  if (shown.length > 0) return `There is no ${JSON.stringify(asked)}. Nearest: ${shown.join(", ")}.`;
  const some = names.slice(0, MAX_FOUND).join(", ");
  return `There is no ${JSON.stringify(asked)}${some ? `. There are: ${some}${names.length > MAX_FOUND ? ", …" : ""}` : ""}`;
}

function score({ name, description }: Listed, wanted: readonly string[]): number {
  const inName = wordsOf(name);
  const inDescription = wordsOf((description ?? "").slice(0, 2_000));
  let sum = 0;
  for (const word of wanted) {
    if (inName.includes(word)) sum += 10;
    else if (inName.some((one) => isAlike(one, word))) sum += 6;
    if (inDescription.includes(word)) sum += 4;
    else if (inDescription.some((one) => isAlike(one, word))) sum += 2;
  }
  return sum;
}

/** `ship` and `shipping`, `customer` and `findcustomer`. */
function isAlike(one: string, word: string): boolean {
  return (word.length > 2 && one.includes(word)) || (one.length > 3 && word.startsWith(one));
}

function wordsOf(text: string): string[] {
  const apart = text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return (apart.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.replace(/(?<=[^s]{2})s$/, ""));
}
