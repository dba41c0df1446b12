/** The start and the end of a long output, for a model: the start says what ran, the end how it went. */
import { cleanText } from "./clean-text.ts";
import { type CommandOutput, TAIL_BYTES } from "./command-output.ts";
import { unfinishedBytes } from "./stream-filter.ts";

const HEAD_SHOWN = 8 * 1024;
const TAIL_SHOWN = 32 * 1024;
/** Of a very long output only its ends are cleaned up. */
const HEAD_CLEANED = 256 * 1024;

export type ShownOutput =
  | { isCut: false; text: string }
  /** `lines`: how many are left out; 0 when one long line was cut. */
  | { isCut: true; head: string; tail: string; lines: number };

export function shownOutput(output: CommandOutput): ShownOutput {
  const isLong = output.total > HEAD_CLEANED + TAIL_BYTES;
  const start = cleanText(output.first(isLong ? HEAD_CLEANED : undefined));
  if (!isLong && Buffer.byteLength(start) <= HEAD_SHOWN + TAIL_SHOWN) return { isCut: false, text: start };

  const end = isLong ? cleanText(output.last()) : start;
  const head = firstLines(start, HEAD_SHOWN);
  const tail = lastLines(end, TAIL_SHOWN);
  const lines = Math.max(0, output.lineFeeds - lineFeedsIn(head) - lineFeedsIn(tail));
  return { isCut: true, head, tail, lines };
}

/** Whole lines, unless that would leave less than half of the room used. */
function firstLines(text: string, size: number): string {
  const kept = Buffer.from(text.slice(0, size)).subarray(0, size);
  const shown = wholeCharacters(kept);
  const end = shown.lastIndexOf("\n") + 1;
  return Buffer.byteLength(shown.slice(0, end)) >= size / 2 ? shown.slice(0, end) : shown;
}

function lastLines(text: string, size: number): string {
  const bytes = Buffer.from(text.slice(-size));
  const shown = wholeCharacters(bytes.subarray(Math.max(0, bytes.length - size)));
  const start = shown.indexOf("\n") + 1;
  return Buffer.byteLength(shown.slice(start)) >= size / 2 ? shown.slice(start) : shown;
}

/** Without the halves of characters that a cut leaves at either end. */
function wholeCharacters(bytes: Buffer): string {
  let start = 0;
  while (start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start++;
  return bytes.subarray(start, bytes.length - unfinishedBytes(bytes)).toString();
}

function lineFeedsIn(text: string): number {
  return text.split("\n").length - 1;
}
