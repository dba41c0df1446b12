/** Globs on a line of text: `*` is any text, `?` one character, `\` before one of them means itself. */
import { matchStars } from "../../base/star-match.ts";

type Token = { type: "char"; char: string } | { type: "one" } | { type: "many" };

/** `mayStandFor` says which characters `*` and `?` may stand for. All of the text must match. */
export function compileTextGlob(pattern: string, mayStandFor: (char: string) => boolean): (text: string) => boolean {
  const tokens = tokenize(Array.from(pattern));
  const one = (token: Token, char: string) => (token.type === "char" ? token.char === char : mayStandFor(char));
  return (text) => matchStars(tokens, Array.from(text), one, mayStandFor);
}

function tokenize(chars: string[]): Token[] {
  const tokens: Token[] = [];
  for (let index = 0; index < chars.length; index++) {
    const char = chars[index]!;
    if (char === "\\" && "*?\\".includes(chars[index + 1] ?? " ")) tokens.push({ type: "char", char: chars[++index]! });
    else if (char === "?") tokens.push({ type: "one" });
    else if (char !== "*") tokens.push({ type: "char", char });
    else if (tokens.at(-1)?.type !== "many") tokens.push({ type: "many" });
  }
  return tokens;
}
