/** Text whose every character can be seen: for whoever must agree to it. */

/**
 * Controls, formats (bidirectional marks, characters without width), private and unassigned ones, and every blank but
 * the space: what moves a cursor, reorders or hides text, or looks like something else.
 */
const UNSEEN = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Line ends stay; every other character that cannot be seen is written as its code, such as `\x1b` or `\u202e`. */
export function visible(text: string, mark: (code: string) => string = String): string {
  return text.replace(UNSEEN, (char) => (char === "\n" || char === " " ? char : mark(codeOf(char))));
}

/** The same on one line. */
export function visibleLine(text: string): string {
  return visible(text.replace(/[ \n]+/g, " ").trim());
}

const names: Record<string, string> = { "\t": "\\t", "\r": "\\r" };

function codeOf(char: string): string {
  const code = char.codePointAt(0)!;
  const digits = code.toString(16);
  if (code <= 0xff) return names[char] ?? `\\x${digits.padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${digits.padStart(4, "0")}` : `\\u{${digits}}`;
}
