/** Matches a row of tokens in which `*` stands for any run of characters. The whole text must match; the work is bounded. */

/** `one` says whether a token stands for this character, `many` which characters a `*` may stand for. */
export function matchStars<Token extends { type: string }>(
  tokens: readonly Token[],
  chars: readonly string[],
  one: (token: Token, char: string) => boolean,
  many: (char: string) => boolean = anything,
): boolean {
  let token = 0;
  let char = 0;
  let lastStar = -1;
  let lastChar = 0;
  while (char < chars.length) {
    const current = tokens[token];
    if (current?.type === "many") {
      lastStar = token++;
      lastChar = char;
    } else if (current && one(current, chars[char]!)) {
      token++;
      char++;
    } else if (lastStar >= 0 && many(chars[lastChar]!)) {
      // The last `*` takes one character more: those before it have what they need.
      token = lastStar + 1;
      char = ++lastChar;
    } else {
      return false;
    }
  }
  while (tokens[token]?.type === "many") token++;
  return token === tokens.length;
}

function anything(): boolean {
  return true;
}
