/** Reads the YAML between the `---` lines at the top of a Markdown file. */
import { isPlainObject } from "../base/json.ts";

/**
 * The values of the header; an empty object where there is none. Line ends may be CRLF, and a BOM may come first.
 *
 * @throws Error for a header that is not YAML, or is not a list of names and values.
 */
export async function readFrontMatter(text: string): Promise<Record<string, unknown>> {
  const header = headerOf(text);
  if (header === undefined) return {};
  const { parse } = await import("yaml");
  const values: unknown = parse(header, { logLevel: "silent", maxAliasCount: 0 });
  if (values === null) return {};
  if (!isPlainObject(values)) throw new Error("its header is not a list of names and values");
  return values;
}

function headerOf(text: string): string | undefined {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n?|\n/);
  if (lines[0]?.trimEnd() !== "---") return undefined;
  const end = lines.findIndex((line, index) => index > 0 && /^(---|\.\.\.)\s*$/.test(line));
  return end < 0 ? undefined : lines.slice(1, end).join("\n");
}
