/** Edit: pieces of a file, found by their text and replaced. */
import type { FileStat, SandboxAccess } from "../../core/sandbox.ts";
import { Tool } from "../../core/tool.ts";
import { changeFile } from "../files/change-file.ts";
import { statFile } from "../files/existing-file.ts";
import { SeenFiles } from "../files/seen-files.ts";
import type { Fields } from "../input/fields.ts";
import { textOutput } from "../input/text-output.ts";
import { toolInput } from "../input/tool-input.ts";
import { countText } from "../text/sizes.ts";
import { unifiedDiff } from "../text/unified-diff.ts";
import { applyEdits, type EditedFile, type TextEdit } from "./apply-edits.ts";
import type { MatchStage } from "./find-matches.ts";
import { refuseTooLarge } from "./text-document.ts";

const MAX_DIFF_LINES = 200;

/** One edit may also stand beside `path`, in either spelling. */
type EditSent = { path: string } & (
  | { edits: TextEdit[] }
  | TextEdit
  | { old_text: string; new_text: string; replace_all?: boolean }
);

/**
 * Replaces texts in a file. Each `oldText` must stand in the file once, or `replaceAll` must be set; all edits are looked
 * for in the file as it is, and all are made or none. Where no exact match is found, line numbers copied along, blanks at
 * line ends, and look-alike quotes, dashes and spaces are forgiven, and the answer says so. Every byte outside the
 * replaced text stays. The answer is a diff.
 *
 * Errors: `EDIT_NOT_FOUND`, `EDIT_AMBIGUOUS` (both with line numbers), `EDIT_NO_CHANGE`, `EDIT_EMPTY`, `EDIT_OVERLAP`, `EDIT_TOO_MANY`,
 * `FILE_CHANGED`, `FILE_BINARY`, `FILE_NOT_UTF8`, `FILE_TOO_LARGE` (10 MiB), `ENOENT`, `EISDIR`, and what the sandbox says.
 */
export const Edit = new Tool({
  name: "Edit",
  description:
    "Replace exact pieces of a text file. oldText must occur exactly once (add lines around it), unless replaceAll is set; leave out the line numbers that Read shows. All edits apply to the file as it is now; if one fails, none is made.",
  input: toolInput<EditSent, { path: string; edits: TextEdit[] }>(
    {
      path: { type: "string", description: "Absolute, or relative to the working directory" },
      edits: {
        type: "array",
        minItems: 1,
        items: {
          type: "object",
          properties: {
            oldText: { type: "string" },
            newText: { type: "string" },
            replaceAll: { type: "boolean", description: "Replace every occurrence" },
          },
          required: ["oldText", "newText"],
        },
      },
    },
    ["path", "edits"],
    (fields) => ({ path: fields.filledText("path"), edits: readEdits(fields) }),
  ),
  output: textOutput,
  subject: ({ path }) => ({ files: [path] }),
  async preview({ path, edits }, { sandbox, abortSignal }) {
    const { bytes } = await fileToEdit(sandbox, path, abortSignal);
    return [{ path, type: "modified", before: bytes, after: applyEdits(bytes, edits, path).bytes }];
  },
  sandbox: true,
  async handler({ path, edits }, { sandbox, abortSignal }) {
    return SeenFiles.of(sandbox).inTurn(path, () => editFile(sandbox, path, edits, abortSignal));
  },
});

function readEdits(fields: Fields): TextEdit[] {
  const edits = fields.objects("edits").map(readEdit);
  const isAlone = ["oldText", "old_text", "newText", "new_text"].some((key) => fields.has(key));
  if (isAlone) edits.push(readEdit(fields));
  if (edits.length === 0) fields.problem("edits", "must be an array with at least one { oldText, newText }");
  return edits;
}

function readEdit(fields: Fields): TextEdit {
  return {
    oldText: fields.text(fields.firstOf("oldText", "old_text")),
    newText: fields.text(fields.firstOf("newText", "new_text")),
    replaceAll: fields.flag(fields.firstOf("replaceAll", "replace_all")),
  };
}

async function editFile(
  sandbox: SandboxAccess,
  path: string,
  edits: TextEdit[],
  abortSignal: AbortSignal,
): Promise<string> {
  const { stat, bytes } = await fileToEdit(sandbox, path, abortSignal);
  const edited = applyEdits(bytes, edits, path);
  await changeFile(sandbox, path, stat, edited.bytes);
  return `${headline(path, edited)}\n${await unifiedDiff(edited.before, edited.after, MAX_DIFF_LINES)}`;
}

async function fileToEdit(
  sandbox: SandboxAccess,
  path: string,
  abortSignal: AbortSignal,
): Promise<{ stat: FileStat; bytes: Uint8Array }> {
  const stat = await statFile(sandbox, path);
  refuseTooLarge(stat.size, path);
  const bytes = await sandbox.readFile(path, { abortSignal });
  SeenFiles.of(sandbox).refuseChanged(path, stat, bytes);
  return { stat, bytes };
}

function headline(path: string, { replacements, firstChangedLine, inexact }: EditedFile): string {
  const how = inexact.length > 0 ? ` [not exact: ${inexact.map((stage) => explanations[stage]).join("; ")}]` : "";
  return `Edited ${path}: ${countText(replacements, "replacement")}, first changed line ${firstChangedLine}${how}`;
}

const explanations: Record<MatchStage, string> = {
  exact: "",
  "line-numbers": "matched without the line numbers in oldText",
  "trailing-blanks": "matched without blanks at line ends",
  "look-alikes": "matched look-alike quotes, dashes or spaces",
};
