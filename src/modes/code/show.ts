/** What a model is shown of a program's result and of what it printed. */
import { decode } from "../../base/codec.ts";
import type { Print } from "../../core/program.ts";
import { count, cutEnd, type ShowLimits, ValueText } from "./value-text.ts";

export type { ShowLimits } from "./value-text.ts";

/** The place for `… 9,980 more chars …`. */
const MARK = 40;

/**
 * A decoded value as text of at most `maxChars` characters: a string as it is, all else JSON-like. Costs no more than what
 * it shows, but for an object's list of keys, and runs no getter.
 */
export function showValue(value: unknown, limits: ShowLimits = {}): string {
  const { maxChars = 8_000 } = limits;
  if (typeof value === "string") return cutMiddle(value, maxChars);
  return cutEnd(new ValueText(limits).of(value, maxChars), maxChars);
}

/** Console lines, strings as they are, what is too much cut out of the middle. */
export function showPrints(prints: readonly Print[], maxChars: number): string {
  const room = Math.max(0, maxChars - MARK);
  const first: string[] = [];
  const last: string[] = [];
  let left = room;
  for (const print of prints) {
    const line = showPrint(print, Math.floor(room / 2));
    if (line.length + 1 > left - room / 2) break;
    left -= line.length + 1;
    first.push(line);
  }
  for (let index = prints.length - 1; index >= first.length; index--) {
    const line = showPrint(prints[index]!, Math.floor(room / 2));
    if (line.length + 1 > left) break;
    left -= line.length + 1;
    last.unshift(line);
  }
  const missing = prints.length - first.length - last.length;
  const mark = missing > 0 ? [`… ${count(missing)} more lines …`] : [];
  return cutEnd([...first, ...mark, ...last].join("\n"), maxChars);
}

function showPrint({ level, values }: Print, room: number): string {
  const mark = level === "warn" || level === "error" ? `[${level}] ` : "";
  const words: string[] = [];
  let length = mark.length;
  for (const [index, value] of values.entries()) {
    const text = typeof value === "string" ? value : showValue(decode(value), { maxChars: Math.max(0, room - length) });
    words.push(text);
    length += text.length + 1;
    if (length > room && index < values.length - 1) {
      words.push(`… ${count(values.length - index - 1)} more values`);
      break;
    }
  }
  return cutMiddle(mark + words.join(" "), Math.max(0, room - 1));
}

function cutMiddle(text: string, length: number): string {
  if (text.length <= length) return text;
  const half = Math.floor((length - MARK) / 2);
  if (half < MARK) return cutEnd(text, length);
  const start = cutEnd(text, half).replace(/…$/, "");
  const end = text.slice(text.length - half).replace(/^[\udc00-\udfff]/, "");
  return `${start} … ${count(text.length - start.length - end.length)} more chars … ${end}`;
}
