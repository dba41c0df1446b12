/** Takes out the line numbers that a model copied along with the text it was shown. */

/** `12<TAB>text`, `12→text`, `12: text`, `12| text`, and a number alone for an empty line. */
const numbered = /^\s*(\d+)(?:\t|\u2192|: ?|\| ?|$)/;

/** Undefined unless every line of the old text has a number, each one more than the last. */
export function withoutLineNumbers(oldText: string, newText: string): { oldText: string; newText: string } | undefined {
  if (!areNumbered(oldText.replace(/\n$/, "").split("\n"))) return undefined;
  const first = newText.split("\n").find((line) => line.trim() !== "");
  const newIsNumbered = first !== undefined && numbered.test(first);
  return { oldText: bare(oldText), newText: newIsNumbered ? bare(newText) : newText };
}

function areNumbered(lines: string[]): boolean {
  let last: number | undefined;
  for (const line of lines) {
    const number = numbered.exec(line)?.[1];
    if (number === undefined || (last !== undefined && Number(number) !== last + 1)) return false;
    last = Number(number);
  }
  return true;
}

function bare(text: string): string {
  return text
    .split("\n")
    .map((line) => line.replace(numbered, ""))
    .join("\n");
}
