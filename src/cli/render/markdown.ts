/** Draws a model's Markdown for a terminal. */
import { marked, type Token, type Tokens } from "marked";
import type { Colors } from "./colors.ts";
import { inline } from "./markdown-inline.ts";
import { table } from "./markdown-table.ts";
import { clean, wrap, wrapWith } from "./text.ts";

/** Lines of at most `width` columns, without an empty line at either end. Code keeps its own lines. */
export function renderMarkdown(markdown: string, width: number, colors: Colors): string {
  return blocks(marked.lexer(clean(markdown)), width, colors);
}

/** Where the first complete blocks of a text that is still growing end: 0 while there is none. */
export function completeBlocks(growing: string): number {
  const tokens = marked.lexer(growing);
  if (tokens.at(-1)?.type === "space") tokens.pop();
  const whole = tokens.slice(0, -1);
  return whole.reduce((length, { raw }) => length + raw.length, 0);
}

function blocks(tokens: readonly Token[], width: number, colors: Colors, between = "\n\n"): string {
  const drawn = tokens.map((token) => block(token, width, colors)).filter((text) => text !== "");
  return drawn.join(between);
}

function block(token: Token, width: number, colors: Colors): string {
  switch (token.type) {
    case "heading":
      return wrap(colors.bold(inline(token.tokens!, colors)), width).join("\n");
    case "paragraph":
    case "text":
      return wrap(inline(token.tokens ?? [token], colors), width).join("\n");
    case "code":
      return token.text
        .split("\n")
        .map((line: string) => (line.trim() ? `  ${colors.cyan(line)}` : ""))
        .join("\n");
    case "blockquote":
      return indented(blocks(token.tokens!, width - 2, colors), colors.dim("│ "));
    case "list":
      return list(token as Tokens.List, width, colors);
    case "table":
      return table(token as Tokens.Table, width, colors);
    case "hr":
      return colors.dim("─".repeat(Math.min(width, 40)));
    case "html":
      return wrapWith(token.text.trim(), width, "");
    default:
      return "";
  }
}

function list({ items, ordered, start, loose }: Tokens.List, width: number, colors: Colors): string {
  const first = Number(start) || 1;
  const drawn = items.map((item, index) => {
    const mark = ordered ? `${first + index}. ` : "- ";
    const box = item.task ? `[${item.checked ? "x" : " "}] ` : "";
    const body = blocks(item.tokens, width - mark.length, colors, item.loose ? "\n\n" : "\n");
    return `${mark}${indented(box + body, " ".repeat(mark.length)).trimStart()}`;
  });
  return drawn.join(loose ? "\n\n" : "\n");
}

function indented(text: string, by: string): string {
  return text
    .split("\n")
    .map((line) => `${by}${line}`.trimEnd())
    .join("\n");
}
