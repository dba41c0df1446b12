/** One name of a glob pattern, the text between two slashes: `*`, `?`, `[a-z]`, `[!a]` and `\` before any of them. */
import { matchStars } from "./star-match.ts";

export type SegmentTest = (name: string) => boolean;

type Token =
  | { type: "char"; char: string }
  | { type: "one" }
  | { type: "many" }
  | { type: "set"; negated: boolean; ranges: [string, string][] };

export function compileSegment(segment: string): SegmentTest {
  const tokens = tokenize(Array.from(segment));
  return quickTest(tokens) ?? ((name) => matchStars(tokens, Array.from(name), matchOne));
}

/** Most patterns are a name, `*.ext` or `name*`; these need no token loop. */
function quickTest(tokens: Token[]): SegmentTest | undefined {
  const stars = tokens.filter((token) => token.type === "many").length;
  const chars = tokens.filter((token) => token.type === "char");
  if (stars + chars.length !== tokens.length || stars > 1) return undefined;
  const text = chars.map((token) => token.char).join("");
  if (stars === 0) return (name) => name === text;
  if (tokens[0]?.type === "many") return (name) => name.endsWith(text);
  if (tokens.at(-1)?.type === "many") return (name) => name.startsWith(text);
  return undefined;
}

function tokenize(chars: string[]): Token[] {
  const tokens: Token[] = [];
  for (let index = 0; index < chars.length; index++) {
    const char = chars[index]!;
    if (char === "\\" && index + 1 < chars.length) tokens.push({ type: "char", char: chars[++index]! });
    else if (char === "?") tokens.push({ type: "one" });
    else if (char === "*") {
      if (tokens.at(-1)?.type !== "many") tokens.push({ type: "many" });
    } else if (char === "[") {
      const set = setAt(chars, index);
      if (set) {
        tokens.push(set.token);
        index = set.end;
      } else tokens.push({ type: "char", char });
    } else tokens.push({ type: "char", char });
  }
  return tokens;
}

/** The set that starts at `[`, or undefined when it has no end and the bracket stands for itself. */
function setAt(chars: string[], start: number): { token: Token; end: number } | undefined {
  let index = start + 1;
  const negated = chars[index] === "!" || chars[index] === "^";
  if (negated) index++;
  const ranges: [string, string][] = [];
  for (let first = true; index < chars.length; first = false) {
    let char = chars[index]!;
    if (char === "]" && !first) return { token: { type: "set", negated, ranges }, end: index };
    if (char === "\\" && index + 1 < chars.length) char = chars[++index]!;
    const isRange = chars[index + 1] === "-" && chars[index + 2] !== undefined && chars[index + 2] !== "]";
    ranges.push([char, isRange ? chars[index + 2]! : char]);
    index += isRange ? 3 : 1;
  }
  return undefined;
}

function matchOne(token: Token, char: string): boolean {
  if (token.type === "char") return token.char === char;
  if (token.type === "set") return token.ranges.some(([from, to]) => from <= char && char <= to) !== token.negated;
  return token.type === "one";
}
