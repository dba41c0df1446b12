/** Write: a whole file, new or replaced. */
import { HaftError } from "../../base/errors.ts";
import type { FileStat, SandboxAccess } from "../../core/sandbox.ts";
import { Tool } from "../../core/tool.ts";
import { changeFile } from "../files/change-file.ts";
import { statOrNothing } from "../files/existing-file.ts";
import { looksBinary } from "../files/file-kind.ts";
import { SeenFiles } from "../files/seen-files.ts";
import { textOutput } from "../input/text-output.ts";
import { toolInput } from "../input/tool-input.ts";
import { bytesText, countText } from "../text/sizes.ts";
import { lineCount, unifiedDiff } from "../text/unified-diff.ts";

const MAX_CONTENT = 5 * 1024 * 1024;
const MAX_COMPARED = 10 * 1024 * 1024;
const MAX_DIFF_LINES = 200;

interface WriteSent {
  path: string;
  content: string;
}

/**
 * Writes `content`, at most 5 MiB, exactly as it is given, and makes the folders above it. The answer says whether the file
 * was created or updated, its lines and bytes, and, for an update, what changed (at most 200 lines of diff).
 *
 * Errors: `FILE_TOO_LARGE`, `FILE_CHANGED` (this run read the file, and it is not the same any more), `EISDIR`, and
 * what the sandbox says.
 */
export const Write = new Tool({
  name: "Write",
  description:
    "Create a file, or replace all of it. Makes missing directories. To change a part of a file use Edit. Refused when the file changed on disk since you read it.",
  input: toolInput<WriteSent, WriteSent>(
    {
      path: { type: "string", description: "Absolute, or relative to the working directory" },
      content: { type: "string", description: "The whole content, exactly" },
    },
    ["path", "content"],
    (fields) => ({ path: fields.filledText("path"), content: fields.text("content") }),
  ),
  output: textOutput,
  subject: ({ path }) => ({ files: [path] }),
  async preview({ path, content }, { sandbox, abortSignal }) {
    const after = bytesOf(content);
    const stat = await statOrNothing(sandbox, path);
    const before = stat && (await contentBefore(sandbox, path, stat, abortSignal));
    if (stat) SeenFiles.of(sandbox).refuseChanged(path, stat, before);
    if (stat && !before) return [];
    return [{ path, type: before ? "modified" : "created", before: before ?? null, after }];
  },
  sandbox: true,
  async handler({ path, content }, { sandbox, abortSignal }) {
    const bytes = bytesOf(content);
    return SeenFiles.of(sandbox).inTurn(path, () => write(sandbox, path, bytes, abortSignal));
  },
});

/** @throws HaftError `FILE_TOO_LARGE` */
function bytesOf(content: string): Uint8Array {
  const bytes = new TextEncoder().encode(content);
  if (bytes.length <= MAX_CONTENT) return bytes;
  throw new HaftError(
    "FILE_TOO_LARGE",
    `The content has ${bytesText(bytes.length)}; Write takes at most ${bytesText(MAX_CONTENT)}`,
    { hint: "Write it in parts, or make the file with a command." },
  );
}

async function write(
  sandbox: SandboxAccess,
  path: string,
  bytes: Uint8Array,
  abortSignal: AbortSignal,
): Promise<string> {
  const stat = await statOrNothing(sandbox, path);
  const before = stat && (await contentBefore(sandbox, path, stat, abortSignal));
  if (stat) SeenFiles.of(sandbox).refuseChanged(path, stat, before);
  const facts = `${path} (${countText(lineCount(textOf(bytes)), "line")}, ${countText(bytes.length, "byte")})`;
  if (before && Buffer.compare(before, bytes) === 0) {
    SeenFiles.of(sandbox).remember(path, stat, bytes);
    return `Unchanged ${facts}: it has exactly this content already`;
  }

  await changeFile(sandbox, path, stat, bytes);
  if (!stat) return `Created ${facts}`;
  return `Updated ${facts}\n${await whatChanged(before, bytes)}`;
}

/** Undefined when it is too large to be compared. */
async function contentBefore(
  sandbox: SandboxAccess,
  path: string,
  stat: FileStat,
  abortSignal: AbortSignal,
): Promise<Uint8Array | undefined> {
  return stat.size > MAX_COMPARED ? undefined : sandbox.readFile(path, { abortSignal });
}

async function whatChanged(before: Uint8Array | undefined, after: Uint8Array): Promise<string> {
  if (!before) return "[the file was too large for a diff]";
  if (looksBinary(before) || looksBinary(after)) return "[no diff: not text]";
  const diff = await unifiedDiff(viewOf(before), viewOf(after), MAX_DIFF_LINES);
  return diff || "[only line ends, the BOM or invalid bytes changed]";
}

function viewOf(bytes: Uint8Array): string {
  return textOf(bytes).replaceAll("\r\n", "\n");
}

/** Without a BOM. */
function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
