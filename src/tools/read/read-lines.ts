/** Reads the wanted lines of a text file: a usual one whole, a very large one in slices until it has them. */
import { isUtf8 } from "node:buffer";
import { HaftError } from "../../base/errors.ts";
import type { SandboxAccess } from "../../core/sandbox.ts";
import { bytesText, countText } from "../text/sizes.ts";
import { LineWindow, type WindowLimits } from "./line-window.ts";

export interface TextFile {
  path: string;
  /** Bytes. */
  size: number;
}

const SLICE_BYTES = 4 * 1024 * 1024;

/** The lines as a model reads them: `number<TAB>text`, then what there is to say about the file. */
export function showLines(file: TextFile, content: Uint8Array, limits: WindowLimits): string {
  const window = new LineWindow(limits, endsLinesWithCr(content));
  window.push(content);
  window.end();
  return shown(window, file, limits, { isComplete: true, isUtf8: isUtf8(content) });
}

/** The same for a file that is too large to be read whole. */
export async function showLinesOfLargeFile(
  file: TextFile,
  sandbox: SandboxAccess,
  limits: WindowLimits,
  abortSignal: AbortSignal,
): Promise<string> {
  const window = new LineWindow(limits);
  let done = 0;
  while (done < file.size && !window.isFull) {
    const slice = await sandbox.readFile(file.path, { offset: done, length: SLICE_BYTES, abortSignal });
    if (slice.length === 0) break;
    window.push(slice);
    done += slice.length;
  }
  const isComplete = done >= file.size || !window.isFull;
  if (isComplete) window.end();
  const isReadable = window.lines.every(({ text }) => !text.includes("\uFFFD"));
  return shown(window, file, limits, { isComplete, isUtf8: isReadable });
}

interface Facts {
  /** All lines were counted. */
  isComplete: boolean;
  isUtf8: boolean;
}

function shown(window: LineWindow, file: TextFile, { offset }: WindowLimits, { isComplete, isUtf8 }: Facts): string {
  if (window.passed === 0 && offset === 1) return `[${file.path} is empty]`;
  const first = window.lines[0];
  const last = window.lines.at(-1);
  if (!first || !last) {
    throw new HaftError(
      "OFFSET_PAST_END",
      `offset ${offset} is past the end of ${file.path}, which has ${countText(window.passed, "line")}`,
    );
  }

  const notes: string[] = [];
  const isAll = isComplete && first.number === 1 && last.number === window.passed;
  if (!isAll) notes.push(rangeNote(first.number, last.number, window, file, isComplete));
  if (window.crlf > 0) notes.push(window.crlf === window.lineFeeds ? "[CRLF]" : "[CRLF and LF mixed]");
  if (!isUtf8) notes.push("[not UTF-8; Edit will refuse this file]");
  const lines = window.lines.map(({ number, text }) => `${number}\t${text}`);
  return [...lines, ...(notes.length > 0 ? [notes.join(" ")] : [])].join("\n");
}

function rangeNote(first: number, last: number, window: LineWindow, file: TextFile, isComplete: boolean): string {
  const total = isComplete ? `${window.passed}` : `more (${bytesText(file.size)})`;
  const next = !isComplete || last < window.passed ? `; use offset=${last + 1}` : "";
  return `[lines ${first}-${last} of ${total}${next}]`;
}

function endsLinesWithCr(content: Uint8Array): boolean {
  return !content.includes(0x0a) && content.includes(0x0d);
}
