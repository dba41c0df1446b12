/** Refuses what would keep the parser busy for ever, before it reads it. */

/**
 * `(a): …` may be the head of an arrow, `<T>(…)` a cast or one, and the parser tries both: what is nested in such places
 * is read twice for each of them, so thirty deep it is read a thousand million times.
 */
const MAX_DEPTH = 10;

/** Where places of two readings are nested deeper than any program needs. */
export function tooAmbiguousAt(text: string): number | undefined {
  const open: boolean[] = [false];
  let depth = 0;
  const mark = () => {
    if (!open.at(-1)) depth++;
    open[open.length - 1] = true;
  };
  token.lastIndex = 0;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const [found] = match;
    const first = found[0]!;
    if ("([{".includes(first)) open.push(false);
    else if (")]}".includes(first) && open.length > 1 && open.pop()) depth--;
    if (found.length > 1 && isAmbiguous.test(found)) mark();
    if (depth > MAX_DEPTH) return match.index;
    if (first === ">" || first === "<") token.lastIndex = match.index + 1;
  }
  return undefined;
}

/** Comments and texts are passed over; an unclosed text ends with its line, so that a quote in a pattern does no harm. */
const token =
  /\/\/.*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|\)\s*:|\(\s*<|=>|>\s*\(|<\s*\(|[()[\]{}]/g;

const isAmbiguous = /^(?:\)\s*:|\(\s*<|>\s*\(|<\s*\()$/;
