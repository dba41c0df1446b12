/** Colours the words of a program lightly: keywords, strings and comments, so that its shape is seen at a glance. */
import type { Colors } from "./colors.ts";
import { visible } from "./visible.ts";

const keywords =
  "async|await|break|case|catch|class|const|continue|default|delete|do|else|enum|export|extends|false|finally|for|from|function|if|import|in|instanceof|interface|let|new|null|of|return|satisfies|switch|this|throw|true|try|type|typeof|undefined|var|void|while|yield";

/** One that nobody ends goes to the end of what may hold it: a line, or for the last two the program. */
const token = new RegExp(
  [
    "(?<comment>//[^\\n]*|/\\*[^]*?(?:\\*/|$))",
    "(?<text>\"(?:\\\\.|[^\"\\\\\\n])*\"?|'(?:\\\\.|[^'\\\\\\n])*'?|`(?:\\\\[^]|[^`\\\\])*`?)",
    `(?<![\\w$.])(?<keyword>${keywords})(?![\\w$])`,
  ].join("|"),
  "g",
);

/** The lines of a program. Characters that cannot be seen are written as their codes. */
export function highlighted(code: string, colors: Colors): string[] {
  const paints = { comment: colors.dim, text: colors.green, keyword: colors.magenta };
  const lines = [""];
  const add = (part: string, paint: (text: string) => string = String) => {
    for (const [index, text] of part.split("\n").entries()) {
      if (index > 0) lines.push("");
      if (text) lines[lines.length - 1] += paint(visible(text, colors.yellow));
    }
  };
  let end = 0;
  for (const match of code.matchAll(token)) {
    add(code.slice(end, match.index));
    const kind = (["comment", "text", "keyword"] as const).find((name) => match.groups![name] !== undefined)!;
    add(match[0], paints[kind]);
    end = match.index + match[0].length;
  }
  add(code.slice(end));
  return lines;
}
