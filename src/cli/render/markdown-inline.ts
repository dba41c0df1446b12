/** Draws what is inside a line of Markdown: emphasis, code, links. */
import type { Token } from "marked";
import type { Colors } from "./colors.ts";

export function inline(tokens: readonly Token[], colors: Colors): string {
  return tokens.map((token) => drawn(token, colors)).join("");
}

function drawn(token: Token, colors: Colors): string {
  const inner = () => inline(("tokens" in token && token.tokens) || [], colors);
  switch (token.type) {
    case "strong":
      return colors.bold(inner());
    case "em":
      return colors.italic(inner());
    case "del":
      return colors.strikethrough(inner());
    case "codespan":
      // Without colours the marks are what tells it apart.
      return colors.isColorSupported ? colors.cyan(token.text) : token.raw;
    case "link":
      return link(inner(), token.href, colors);
    case "image":
      return link(token.text || "image", token.href, colors);
    case "br":
      return "\n";
    case "text":
      return "tokens" in token && token.tokens ? inner() : unescaped(token.text);
    case "escape":
      return unescaped(token.text);
    default:
      return token.raw;
  }
}

function link(text: string, href: string, colors: Colors): string {
  return text === href || href === `mailto:${text}` ? colors.underline(text) : `${text} ${colors.dim(`(${href})`)}`;
}

const entities: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"', "&#39;": "'" };

function unescaped(text: string): string {
  return text.replace(/&(lt|gt|amp|quot|#39);/g, (entity) => entities[entity]!);
}
