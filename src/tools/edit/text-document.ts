/** A file's bytes as text that can be edited without touching what is not edited: its BOM, its line ends, its last line. */
import { HaftError } from "../../base/errors.ts";
import { binaryKind, looksBinary } from "../files/file-kind.ts";
import { bytesText } from "../text/sizes.ts";
import { Condensed } from "./condensed.ts";

const MAX_EDIT_BYTES = 10 * 1024 * 1024;

const BOM = "\uFEFF";

export type LineEnd = "\n" | "\r\n" | "\r";

export interface TextDocument {
  readonly hasBom: boolean;
  /** As it is in the file, without the BOM. */
  readonly whole: string;
  /** The same with LF line ends, as models see it. */
  readonly view: Condensed;
  /** The one that new lines get: the file's most frequent. */
  readonly lineEnd: LineEnd;
}

/** @throws HaftError `FILE_TOO_LARGE`, `FILE_BINARY`, `FILE_NOT_UTF8` */
export function readDocument(bytes: Uint8Array, name: string): TextDocument {
  refuseTooLarge(bytes.length, name);
  if (looksBinary(bytes)) {
    throw new HaftError(
      "FILE_BINARY",
      `${name} is not text (${binaryKind(bytes)}, ${bytesText(bytes.length)}); it was not changed`,
    );
  }
  const text = decode(bytes, name);
  const hasBom = text.startsWith(BOM);
  const whole = hasBom ? text.slice(1) : text;
  const lineEnd = lineEndOf(whole);
  const view = Condensed.withLineFeeds(lineEnd === "\r" ? whole.replaceAll("\r", "\n") : whole);
  return { hasBom, whole, view, lineEnd };
}

export function refuseTooLarge(size: number, name: string): void {
  if (size <= MAX_EDIT_BYTES) return;
  throw new HaftError(
    "FILE_TOO_LARGE",
    `${name} has ${bytesText(size)}; Edit takes at most ${bytesText(MAX_EDIT_BYTES)}`,
    {
      hint: "Change it with a command, such as sed.",
    },
  );
}

export function writeDocument(document: TextDocument, whole: string): Uint8Array {
  return new TextEncoder().encode(document.hasBom ? BOM + whole : whole);
}

/** Text from a model, with the line ends of the document's view. */
export function asViewed(text: string, { lineEnd }: TextDocument): string {
  const lines = text.replaceAll("\r\n", "\n");
  return lineEnd === "\r" ? lines.replaceAll("\r", "\n") : lines;
}

export function withLineEnd(viewed: string, lineEnd: LineEnd): string {
  return lineEnd === "\n" ? viewed : viewed.replaceAll("\n", lineEnd);
}

function decode(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new HaftError("FILE_NOT_UTF8", `${name} is not valid UTF-8; it was not changed, so that no byte is lost`, {
      hint: "Change it with a command that knows its encoding, such as iconv or sed.",
    });
  }
}

/** A lone CR ends lines only in a file without LF; elsewhere it is a character of a line. */
function lineEndOf(text: string): LineEnd {
  let lineFeeds = 0;
  let pairs = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
    lineFeeds++;
    if (text[at - 1] === "\r") pairs++;
  }
  if (lineFeeds === 0) return text.includes("\r") ? "\r" : "\n";
  return pairs > lineFeeds - pairs ? "\r\n" : "\n";
}
