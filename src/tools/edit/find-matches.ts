/** Where an edit's old text stands in a document: as it is, or, when it is nowhere, in four more forgiving ways. */
import { Condensed } from "./condensed.ts";
import { withoutLineNumbers } from "./line-numbers.ts";

/** How the text was found. Only "exact" found it character for character. */
export type MatchStage = "exact" | "line-numbers" | "trailing-blanks" | "look-alikes";

/** A place in the document's view: [start, end). */
export interface Span {
  start: number;
  end: number;
}

export interface Matches {
  stage: MatchStage;
  /** In order. More than `MAX_COUNTED` are not looked for. */
  spans: Span[];
  /** What goes in: line numbers that were copied along are taken out of it too. */
  newText: string;
}

/** Matches that overlap count as two: replacing either would be a guess. */
export const MAX_COUNTED = 1000;

/** Looks again and again in one document, and keeps the views that this needs. */
export class MatchFinder {
  readonly #text: string;
  #trimmed: Condensed | undefined;
  #folded: string | undefined;
  #foldedTrimmed: string | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Undefined when the text is nowhere. */
  find(oldText: string, newText: string): Matches | undefined {
    const exact = spansOf(this.#text, oldText);
    if (exact.length > 0) return { stage: "exact", spans: exact, newText };
    return (
      this.#findNumbered(oldText, newText) ?? this.#findTrimmed(oldText, newText) ?? this.#findFolded(oldText, newText)
    );
  }

  #findNumbered(oldText: string, newText: string): Matches | undefined {
    const bare = withoutLineNumbers(oldText, newText);
    if (!bare?.oldText) return undefined;
    const spans = spansOf(this.#text, bare.oldText);
    return spans.length > 0 ? { stage: "line-numbers", spans, newText: bare.newText } : undefined;
  }

  #findTrimmed(oldText: string, newText: string): Matches | undefined {
    const spans = this.#spansInTrimmed(this.#trim().text, oldText, (text) => text);
    return spans.length > 0 ? { stage: "trailing-blanks", spans, newText } : undefined;
  }

  #findFolded(oldText: string, newText: string): Matches | undefined {
    this.#folded ??= foldLookAlikes(this.#text);
    let spans = spansOf(this.#folded, foldLookAlikes(oldText));
    if (spans.length === 0) {
      this.#foldedTrimmed ??= foldLookAlikes(this.#trim().text);
      spans = this.#spansInTrimmed(this.#foldedTrimmed, oldText, foldLookAlikes);
    }
    return spans.length > 0 ? { stage: "look-alikes", spans, newText } : undefined;
  }

  #spansInTrimmed(haystack: string, oldText: string, fold: (text: string) => string): Span[] {
    const needle = fold(Condensed.withoutTrailingBlanks(oldText).text);
    if (needle.trim() === "") return [];
    // Blanks after the last line were taken away, so the match must reach a line's end: "a " is not in "ab".
    const mustEndLine = /[ \t]$/.test(oldText);
    const trimmed = this.#trim();
    return spansOf(haystack, needle)
      .filter(({ end }) => !mustEndLine || end === haystack.length || haystack[end] === "\n")
      .map(({ start, end }) => ({ start: trimmed.wholeIndex(start), end: trimmed.wholeIndex(end) }));
  }

  #trim(): Condensed {
    this.#trimmed ??= Condensed.withoutTrailingBlanks(this.#text);
    return this.#trimmed;
  }
}

/** More at once would hold up everything else for seconds. */
export const MAX_REPLACED = 100_000;

/** Those that can be replaced together: none overlaps the one before it. At most one more than can be replaced. */
export function spansApart(text: string, searched: string): Span[] {
  const spans: Span[] = [];
  for (
    let at = text.indexOf(searched);
    at >= 0 && spans.length <= MAX_REPLACED;
    at = text.indexOf(searched, at + searched.length)
  ) {
    spans.push({ start: at, end: at + searched.length });
  }
  return spans;
}

function spansOf(text: string, searched: string): Span[] {
  const spans: Span[] = [];
  for (let at = text.indexOf(searched); at >= 0 && spans.length < MAX_COUNTED; at = text.indexOf(searched, at + 1)) {
    spans.push({ start: at, end: at + searched.length });
  }
  return spans;
}

/** Characters that print alike and are mistaken for each other. One for one, so that places stay the same. */
function foldLookAlikes(text: string): string {
  return text
    .replace(/[\u2018-\u201B]/g, "'")
    .replace(/[\u201C-\u201F]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replace(/[\u00A0\u2002-\u200A\u202F\u205F\u3000]/g, " ");
}
