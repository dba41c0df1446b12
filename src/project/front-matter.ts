/** Reads the YAML between the `---` lines at the top of a Markdown file. */
import { isPlainObject } from "../base/json.ts";

/**
 * The values of the header; an empty object where there is none. Line ends may be CRLF, and a BOM may come first. A
 * header that is not quite YAML, such as `description: Use it: always`, is read line by line.
 *
 * @throws Error for a header that has no names and values
 */
export async function readFrontMatter(text: string): Promise<Record<string, unknown>> {
  const header = headerOf(text);
  if (header === undefined || header.trim() === "") return {};
  const { parse } = await import("yaml");
  try {
    const values: unknown = parse(header, { logLevel: "error", maxAliasCount: 0 });
    if (isPlainObject(values)) return values;
  } catch {
    // Read below, by people's rules.
  }
  const values = readLines(header);
  if (Object.keys(values).length > 0) return values;
  throw new Error("its header is not a list of names and values");
}

function readLines(header: string): Record<string, unknown> {
  const pairs = header.split("\n").map((line) => /^([A-Za-z][\w-]*):\s+(.*)$/.exec(line));
  return Object.fromEntries(pairs.flatMap((pair) => (pair ? [[pair[1]!, pair[2]!.trim()]] : [])));
}

function headerOf(text: string): string | undefined {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n?|\n/);
  if (lines[0]?.trimEnd() !== "---") return undefined;
  const end = lines.findIndex((line, index) => index > 0 && /^(---|\.\.\.)\s*$/.test(line));
  return end < 0 ? undefined : lines.slice(1, end).join("\n");
}
