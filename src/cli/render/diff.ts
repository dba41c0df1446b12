/** Draws what changed in files: for eyes with colours, and as a patch that `git apply` takes. */
import { createTwoFilesPatch, FILE_HEADERS_ONLY, structuredPatch } from "diff";
import type { FileChange } from "../../core/sandbox.ts";
import type { Colors } from "./colors.ts";
import { bytes, count } from "./text.ts";
import { visible, visibleLine } from "./visible.ts";

/** Milliseconds that comparing one file may take. */
const TIMEOUT = 2000;
const MAX_LINES = 300;

/** One change: a line that names it, then its hunks, at most some 300 lines of them. */
export function renderChange(change: FileChange, colors: Colors): string {
  const { path, type, before, after } = change;
  const label = {
    created: colors.green("created"),
    modified: colors.yellow("modified"),
    deleted: colors.red("deleted"),
  };
  const title = `${label[type]} ${colors.bold(visibleLine(path))}`;
  const [from, to] = [textOf(before), textOf(after)];
  if (from === undefined || to === undefined) return `${title}  ${sizes(before, after)}`;
  const lines = diffLines(from, to, colors);
  if (!lines) return `${title}  ${sizes(before, after)}`;
  return [`${title}  ${lines.summary}`, ...lines.lines].join("\n");
}

/** The hunks between two texts; undefined when they are too different to compare in time. */
export function diffLines(
  before: string,
  after: string,
  colors: Colors,
  maxLines = MAX_LINES,
): { summary: string; lines: string[] } | undefined {
  const patch = structuredPatch("", "", before, after, undefined, undefined, { context: 3, timeout: TIMEOUT });
  if (!patch) return undefined;
  const all = patch.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
    ...lines,
  ]);
  // Where both have such line ends, they are no change; elsewhere they can be seen.
  const lineEnd = before.includes("\r\n") && after.includes("\r\n") ? /\r$/ : /$^/;
  const show = (line: string) => visible(line.replace(lineEnd, "").replaceAll("\t", "  "), colors.yellow);
  const added = all.filter((line) => line.startsWith("+")).length;
  const removed = all.filter((line) => line.startsWith("-")).length;
  const shown = all.slice(0, maxLines).map((line) => paint(show(line), colors));
  if (all.length > maxLines) shown.push(colors.dim(`… ${count(all.length - maxLines, "more line")}`));
  return { summary: `${colors.green(`+${added}`)} ${colors.red(`-${removed}`)}`, lines: shown };
}

function paint(line: string, colors: Colors): string {
  if (line.startsWith("+")) return colors.green(line);
  if (line.startsWith("-")) return colors.red(line);
  return line.startsWith("@@") ? colors.cyan(line) : colors.dim(line);
}

/** All changes as one patch. `left` names the files that are not text, which a patch cannot hold. */
export function patchOf(changes: readonly FileChange[]): { patch: string; left: string[] } {
  const left: string[] = [];
  let patch = "";
  for (const { path, type, before, after, mode } of changes) {
    const [from, to] = [textOf(before), textOf(after)];
    const made = from !== undefined && to !== undefined ? filePatch(path, from, to, { before, after }) : undefined;
    if (made === undefined) {
      left.push(path);
      continue;
    }
    const bits = mode !== undefined && mode & 0o111 ? "100755" : "100644";
    const fact = type === "modified" ? "" : `${type === "created" ? "new" : "deleted"} file mode ${bits}\n`;
    patch += `diff --git a/${path} b/${path}\n${fact}${made}`;
  }
  return { patch, left };
}

function filePatch(
  path: string,
  from: string,
  to: string,
  { before, after }: Pick<FileChange, "before" | "after">,
): string | undefined {
  const [oldName, newName] = [before === null ? "/dev/null" : `a/${path}`, after === null ? "/dev/null" : `b/${path}`];
  return createTwoFilesPatch(oldName, newName, from, to, undefined, undefined, {
    context: 3,
    timeout: TIMEOUT,
    headerOptions: FILE_HEADERS_ONLY,
  });
}

/** undefined for bytes that are not UTF-8 text. */
export function textOf(data: Uint8Array | null): string | undefined {
  if (data === null) return "";
  if (data.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data);
  } catch {
    return undefined;
  }
}

function sizes(before: Uint8Array | null, after: Uint8Array | null): string {
  const [from, to] = [before && bytes(before.length), after && bytes(after.length)];
  if (from === null) return to ?? "";
  return to === null ? from : `${from}, now ${to}`;
}
