/** Glob: files by name. */
import { posix } from "node:path";
import { Tool } from "../../core/tool.ts";
import { textOutput } from "../input/text-output.ts";
import { toolInput } from "../input/tool-input.ts";
import { countText } from "../text/sizes.ts";

const DEFAULT_LIMIT = 1000;
const MAX_LIMIT = 10_000;

interface GlobSent {
  pattern: string;
  path?: string;
  limit?: number;
}

/**
 * Finds files by name: `N matches for PATTERN:`, then one path a line, sorted, relative to the working directory. Files
 * that `.gitignore` names are left out, and so is `.git`. `cwd` is another word for `path`.
 *
 * Errors: what the sandbox says of the pattern (`EINVAL`) and the path.
 */
export const Glob = new Tool({
  name: "Glob",
  description:
    'Find files by name pattern, such as "*.ts" (at any depth) or "src/**/*.{ts,tsx}". Leaves out .git and what .gitignore names.',
  input: toolInput<GlobSent, GlobSent & { limit: number }>(
    {
      pattern: { type: "string" },
      path: { type: "string", description: "Directory to start in" },
      limit: { type: "integer", minimum: 1, description: `Paths at most; default ${DEFAULT_LIMIT}` },
    },
    ["pattern"],
    (fields) => ({
      pattern: fields.filledText("pattern"),
      path: fields.optionalText(fields.firstOf("path", "cwd")) || undefined,
      limit: Math.min(fields.count("limit") ?? DEFAULT_LIMIT, MAX_LIMIT),
    }),
  ),
  output: textOutput,
  readOnly: true,
  subject: ({ path }) => ({ folders: [path ?? "."] }),
  sandbox: true,
  async handler({ pattern, path, limit }, { sandbox, abortSignal }) {
    const { files, total } = await sandbox.glob({ pattern, path, limit, abortSignal });
    if (total === 0) return `No files matched ${pattern}`;
    const lines = [
      `${countText(total, "match", "matches")} for ${pattern}:`,
      ...files.map((file) => (path ? posix.join(path, file) : file)),
    ];
    if (files.length < total) lines.push(`[first ${files.length} of ${total}; ${nextCall(limit)}]`);
    return lines.join("\n");
  },
});

function nextCall(limit: number): string {
  const narrower = "use a narrower pattern or path";
  return limit < MAX_LIMIT ? `use limit=${Math.min(limit * 10, MAX_LIMIT)}, or ${narrower.slice(4)}` : narrower;
}
