/** The place of the table in THREAT_MODEL.md: between two markers. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../helpers/source-files.ts";

const BEGIN = "<!-- isolation table: written by `npm run test:sandbox -- --write` -->";
const END = "<!-- end of the isolation table -->";

const file = join(root, "THREAT_MODEL.md");

export function writtenTable(): string {
  const [, between = ""] = parts(readFileSync(file, "utf8"));
  return between.replace(/^\s*```text\n|```\s*$/g, "");
}

export function writeTable(table: string): void {
  const [before, , after] = parts(readFileSync(file, "utf8"));
  writeFileSync(file, `${before}${BEGIN}\n\n\`\`\`text\n${table}\n\`\`\`\n\n${END}${after}`);
}

function parts(text: string): [string, string, string] {
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin < 0 || end < begin) throw new Error("THREAT_MODEL.md has no place for the isolation table");
  return [text.slice(0, begin), text.slice(begin + BEGIN.length, end), text.slice(end + END.length)];
}
