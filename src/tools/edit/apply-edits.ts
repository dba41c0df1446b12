/** The edit engine: finds each old text, replaces it, and leaves every other byte of the file as it was. */
import { HaftError } from "../../base/errors.ts";
import {
  MAX_COUNTED,
  MAX_REPLACED,
  type Matches,
  MatchFinder,
  type MatchStage,
  type Span,
  spansApart,
} from "./find-matches.ts";
import { linesAt, MAX_PLACES, notFound } from "./not-found.ts";
import { asViewed, readDocument, type TextDocument, withLineEnd, writeDocument } from "./text-document.ts";

export interface TextEdit {
  oldText: string;
  newText: string;
  /** Replace every occurrence. Each must be exact. */
  replaceAll?: boolean;
}

export interface EditedFile {
  bytes: Uint8Array;
  /** The text before and after, with LF line ends and without a BOM. */
  before: string;
  after: string;
  replacements: number;
  /** From 1. */
  firstChangedLine: number;
  /** The forgiving ways in which old texts were found; empty when all were exact. */
  inexact: MatchStage[];
}

interface Region extends Span {
  newText: string;
}

/**
 * Applies all edits or none. Each is looked for in the file as it was, not in the outcome of those before it.
 * New text gets the file's own line ends; lines at the ends of an edit that did not change keep theirs.
 *
 * @throws HaftError `EDIT_EMPTY`, `EDIT_NO_CHANGE`, `EDIT_NOT_FOUND`, `EDIT_AMBIGUOUS`, `EDIT_TOO_MANY`,
 * `EDIT_OVERLAP`, and those of `readDocument`. `name` is the file's name in the sentences.
 */
export function applyEdits(bytes: Uint8Array, edits: readonly TextEdit[], name: string): EditedFile {
  const document = readDocument(bytes, name);
  const text = document.view.text;
  const finder = new MatchFinder(text);
  const found = edits.map((edit) => locate(edit, finder, document, name));

  const regions = found.flatMap(({ spans, newText }) => spans.map((span): Region => ({ ...span, newText })));
  regions.sort((a, b) => a.start - b.start);
  refuseOverlaps(regions, text, name);
  const changes = regions.map((region) => onlyTheChange(region, text)).filter(changesSomething);
  if (changes.length === 0) throw noChange(name, "the file has the new text already");

  return {
    bytes: writeDocument(document, replaceInWhole(document, changes)),
    before: text,
    after: replaceIn(text, changes),
    replacements: regions.length,
    firstChangedLine: linesAt(text, [changes[0]!.start])[0]!,
    inexact: [...new Set(found.map(({ stage }) => stage))].filter((stage) => stage !== "exact"),
  };
}

function locate(edit: TextEdit, finder: MatchFinder, document: TextDocument, name: string): Matches {
  const oldText = asViewed(edit.oldText, document);
  const newText = asViewed(edit.newText, document);
  if (oldText === "") throw emptyText();
  if (oldText === newText) throw noChange(name, "oldText and newText are the same");

  const matches = finder.find(oldText, newText);
  if (!matches) throw notFound(document.view.text, oldText, name);
  if (edit.replaceAll && matches.stage === "exact") return everywhere(matches, oldText, document, name);
  if (matches.spans.length > 1) throw ambiguous(matches, document.view.text, name, edit.replaceAll);
  return matches;
}

function everywhere(matches: Matches, oldText: string, document: TextDocument, name: string): Matches {
  const spans = spansApart(document.view.text, oldText);
  if (spans.length <= MAX_REPLACED) return { ...matches, spans };
  throw new HaftError("EDIT_TOO_MANY", `oldText occurs more than ${MAX_REPLACED} times in ${name}`, {
    hint: "Replace it with a command, such as sed.",
  });
}

function ambiguous({ spans, stage }: Matches, text: string, name: string, replaceAll = false): HaftError {
  const starts = spans.map(({ start }) => start);
  const lines = linesAt(text, starts);
  const more = lines.length === MAX_PLACES && spans.length > MAX_PLACES ? ", …" : "";
  const count = spans.length === MAX_COUNTED ? `at least ${MAX_COUNTED}` : spans.length;
  const message = `Found ${count} occurrences of oldText in ${name} (${lines.length === 1 ? "line" : "lines"} ${lines.join(", ")}${more})`;
  const data = { lines };
  if (replaceAll) {
    const hint = "replaceAll takes exact text only: copy it from the file.";
    return new HaftError("EDIT_AMBIGUOUS", `${message}, none of them exact (${stage})`, { hint, data });
  }
  const hint = "Add lines around it until it is unique, or set replaceAll to change all of them.";
  return new HaftError("EDIT_AMBIGUOUS", message, { hint, data });
}

function refuseOverlaps(regions: readonly Region[], text: string, name: string): void {
  for (const [index, region] of regions.entries()) {
    if (index === 0 || region.start >= regions[index - 1]!.end) continue;
    const line = linesAt(text, [region.start])[0];
    throw new HaftError("EDIT_OVERLAP", `Two edits change the same text of ${name}, at line ${line}`, {
      hint: "Make one edit of the two.",
    });
  }
}

/** Cuts off what old and new text have in common at both ends: those characters keep their bytes. */
function onlyTheChange({ start, end, newText }: Region, text: string): Region {
  const shorter = Math.min(end - start, newText.length);
  let head = 0;
  while (head < shorter && text[start + head] === newText[head]) head++;
  let tail = 0;
  while (tail < shorter - head && text[end - 1 - tail] === newText[newText.length - 1 - tail]) tail++;
  return { start: start + head, end: end - tail, newText: newText.slice(head, newText.length - tail) };
}

function changesSomething({ start, end, newText }: Region): boolean {
  return end > start || newText !== "";
}

function replaceInWhole({ whole, view, lineEnd }: TextDocument, changes: readonly Region[]): string {
  const inWhole = changes.map(({ start, end, newText }) => ({
    start: view.wholeIndex(start),
    end: view.wholeIndex(end),
    newText: withLineEnd(newText, lineEnd),
  }));
  return replaceIn(whole, inWhole);
}

function replaceIn(text: string, changes: readonly Region[]): string {
  const parts: string[] = [];
  let done = 0;
  for (const { start, end, newText } of changes) {
    parts.push(text.slice(done, start), newText);
    done = end;
  }
  parts.push(text.slice(done));
  return parts.join("");
}

function emptyText(): HaftError {
  const hint = "Give the text to replace, or use Write to make a file.";
  return new HaftError("EDIT_EMPTY", "oldText is empty", { hint });
}

function noChange(name: string, why: string): HaftError {
  return new HaftError("EDIT_NO_CHANGE", `No changes made to ${name}: ${why}`);
}
