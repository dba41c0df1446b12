/** Grep: lines by content. */
import type { GrepResult, SandboxAccess } from "../../core/sandbox.ts";
import { Tool } from "../../core/tool.ts";
import type { Fields } from "../input/fields.ts";
import { textOutput } from "../input/text-output.ts";
import { toolInput } from "../input/tool-input.ts";
import { filePage, linePage, type Page } from "./grep-pages.ts";

const DEFAULT_LIMIT = 250;
const modes = ["content", "files", "count"] as const;

interface GrepSent {
  pattern: string;
  path?: string;
  glob?: string;
  mode?: (typeof modes)[number];
  ignoreCase?: boolean;
  literal?: boolean;
  before?: number;
  after?: number;
  multiline?: boolean;
  limit?: number;
  offset?: number;
}

type GrepRead = GrepSent & { mode: (typeof modes)[number]; limit: number; offset: number };

/**
 * Searches file contents. `content` gives `path:line: text`, with `path-line- text` for lines of context and `--` between
 * groups; `files` gives the paths, `count` gives `path: matches`. At most 250 lines or files and 50 KiB; a last line in
 * brackets says how to go on.
 *
 * Errors: `GREP_PATTERN_INVALID`, and what the sandbox says of the path and the glob.
 */
export const Grep = new Tool({
  name: "Grep",
  description:
    "Search file contents with a regular expression (RE2: no look-around, no back-references). Leaves out binary files, .git and what .gitignore names.",
  input: toolInput<GrepSent, GrepRead>(
    {
      pattern: { type: "string" },
      path: { type: "string", description: "File or directory" },
      glob: { type: "string", description: 'Only files like "*.ts"' },
      mode: {
        type: "string",
        enum: [...modes],
        description: "content (default): matching lines; files: paths; count: matches by file",
      },
      ignoreCase: { type: "boolean" },
      literal: { type: "boolean", description: "The pattern is plain text" },
      before: { type: "integer", minimum: 0, description: "Lines of context before each match" },
      after: { type: "integer", minimum: 0, description: "Lines of context after" },
      multiline: { type: "boolean", description: "A match may span lines" },
      limit: { type: "integer", minimum: 1, description: `Default ${DEFAULT_LIMIT}` },
      offset: { type: "integer", minimum: 0, description: "Matches to skip" },
    },
    ["pattern"],
    readInput,
  ),
  output: textOutput,
  readOnly: true,
  subject: ({ path }) => ({ folders: [path ?? "."] }),
  sandbox: true,
  async handler(input, { sandbox, abortSignal }) {
    const result = await search(input, sandbox, abortSignal);
    if (result.total === 0) return nothingFound(input, result);
    const page = input.mode === "content" ? linePage(result, input) : filePage(result, input);
    return [...page.lines, ...footer(page, result, input)].join("\n");
  },
});

function readInput(fields: Fields): GrepRead {
  return {
    pattern: fields.filledText("pattern"),
    path: fields.optionalText("path") || undefined,
    glob: fields.optionalText("glob") || undefined,
    mode: fields.oneOf("mode", modes) ?? "content",
    ignoreCase: fields.flag("ignoreCase"),
    literal: fields.flag("literal"),
    before: fields.count("before", { min: 0 }),
    after: fields.count("after", { min: 0 }),
    multiline: fields.flag("multiline"),
    limit: fields.count("limit") ?? DEFAULT_LIMIT,
    offset: fields.count("offset", { min: 0 }) ?? 0,
  };
}

/** Files and counts come from the totals: their lines are not needed. */
function search({ mode, ...query }: GrepRead, sandbox: SandboxAccess, abortSignal: AbortSignal): Promise<GrepResult> {
  if (mode === "content") return sandbox.grep({ ...query, abortSignal });
  return sandbox.grep({ ...query, before: 0, after: 0, offset: 0, limit: 1, abortSignal });
}

function nothingFound({ pattern, path, glob }: GrepRead, { filesSearched, timedOut }: GrepResult): string {
  if (timedOut) return `No matches for ${pattern} before time ran out\n${LATE}`;
  if (filesSearched > 0) return `No matches for ${pattern}`;
  const where = [path && `path ${path}`, glob && `glob ${glob}`].filter(Boolean).join(" and ");
  return `No matches for ${pattern}: no file was searched${where ? `; check ${where}` : ""}`;
}

const LATE = "[stopped after 20 s, so this is not all: use a narrower path or glob]";

function footer(page: Page, { timedOut }: GrepResult, { offset }: GrepRead): string[] {
  const lines: string[] = [];
  const next = offset + page.count;
  if (page.count === 0) lines.push(`[offset ${offset} is past the last of ${page.total} ${page.unit}]`);
  else if (next < page.total) lines.push(`[${page.unit} ${offset + 1}-${next} of ${page.total}; use offset=${next}]`);
  else if (offset > 0) lines.push(`[${page.unit} ${offset + 1}-${next} of ${page.total}]`);
  if (timedOut) lines.push(LATE);
  return lines;
}
