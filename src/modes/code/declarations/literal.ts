/** Values, names and sentences as TypeScript text that nothing can break out of. */

/** JSON is TypeScript, but for two line ends that it allows inside of strings. */
export function literal(value: unknown): string {
  return JSON.stringify(value).replace(/[\u2028\u2029]/g, (end) => (end === "\u2028" ? "\\u2028" : "\\u2029"));
}

export function isIdentifier(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(name);
}

export function propertyName(name: string): string {
  return isIdentifier(name) ? name : literal(name);
}

/** One line, no control characters, and nothing that would end the fence of a prompt. */
export function plainLine(text: string): string {
  return text
    .replace(/[\s\u0000-\u001f\u007f\u0085]+/g, " ")
    .replaceAll("```", "'''")
    .trim();
}

export function cutText(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, "");
  return `${end.trimEnd()}…`;
}

/** A block before a declaration; several lines where the text has several. */
export function docBlock(text: string | undefined): string {
  const lines = (text ?? "").split(/\r\n|[\n\r\u2028\u2029]/).map((line) => plainLine(line).replaceAll("*/", "* /"));
  while (lines[0] === "") lines.shift();
  while (lines.at(-1) === "") lines.pop();
  if (lines.length === 0) return "";
  if (lines.length === 1) return `/** ${lines[0]} */\n`;
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join("\n")}\n */\n`;
}

export function firstSentence(text: string | undefined): string {
  const line = plainLine(
    (text ?? "")
      .trim()
      .split(/\n\s*\n/)[0]!
      .slice(0, 1_000),
  );
  const sentence = /^.*?[.!?](?=\s|$)/.exec(line)?.[0] ?? line;
  return cutText(sentence, 140).replace(/\.$/, "");
}
