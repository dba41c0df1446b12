/** Globs on a line of text: `*` is any text, `?` one character, `\` before one of them means itself. */

type Token = { type: "char"; char: string } | { type: "one" } | { type: "many" };

/** `mayStandFor` says which characters `*` and `?` may stand for. All of the text must match. */
export function compileTextGlob(pattern: string, mayStandFor: (char: string) => boolean): (text: string) => boolean {
  const tokens = tokenize(Array.from(pattern));
  return (text) => matches(tokens, Array.from(text), mayStandFor);
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

/** On a mismatch the last `*` takes one character more: the others have what they need. */
function matches(tokens: Token[], chars: string[], mayStandFor: (char: string) => boolean): boolean {
  let token = 0;
  let char = 0;
  let lastStar = -1;
  let lastChar = 0;
  while (char < chars.length) {
    const current = tokens[token];
    if (current?.type === "many") {
      lastStar = token++;
      lastChar = char;
    } else if (current && (current.type === "one" ? mayStandFor(chars[char]!) : current.char === chars[char])) {
      token++;
      char++;
    } else if (lastStar >= 0 && mayStandFor(chars[lastChar]!)) {
      token = lastStar + 1;
      char = ++lastChar;
    } else {
      return false;
    }
  }
  while (tokens[token]?.type === "many") token++;
  return token === tokens.length;
}
