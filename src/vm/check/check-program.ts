/** The check of one program, in the worker: from its text to what is wrong with it. */
import type { CheckInput, ProgramProblem } from "../../core/program.ts";
import { compile } from "./compiler.ts";
import { declarationFile } from "./declaration-file.ts";
import type { EditedText } from "./edits.ts";
import { excerptOf } from "./excerpt.ts";
import { lostExits } from "./lost-exits.ts";
import { type Finding, lostPromises } from "./lost-promises.ts";
import { forgottenAwait, messageOfDiagnostic } from "./messages.ts";
import { implicitReturn, nodeAt } from "./nodes.ts";
import { checkedText, earlierModules } from "./program-text.ts";
import { isTolerated } from "./tolerated.ts";
import type { TS } from "./typescript.ts";
import { type Surroundings, whatIsThere } from "./what-is-there.ts";

const PROBLEMS = 10;

interface Place {
  start: number;
  length: number;
  message: string;
}

export function checkProgram({ code, declarations, earlier }: CheckInput): ProgramProblem[] {
  const { modules, kept } = earlierModules(earlier, declarations);
  const edited = checkedText(code, kept);
  const compiled = compile(declarationFile(declarations), modules, edited.text);
  const { file, checker } = compiled;

  const places = compiled.diagnostics.flatMap((diagnostic) => placeOf(diagnostic, compiled));
  if (compiled.isReadable) {
    const last = implicitReturn(file, edited.end);
    const lost = [...lostPromises(file, last, checker), ...lostExits(file, last, compiled.declarations, checker)];
    places.push(...lost.map((finding) => found(finding, file)));
  }
  return inOrder(places.flatMap((place) => problemOf(place, edited, code, compiled.isReadable)));
}

function placeOf(diagnostic: TS.Diagnostic, around: Surroundings): Place[] {
  const start = diagnostic.start ?? 0;
  const length = diagnostic.length ?? 0;
  const node = nodeAt(around.file, start, length);
  if (isTolerated(diagnostic, node, around.checker)) return [];
  const parts = [
    messageOfDiagnostic(diagnostic, node),
    forgottenAwait(diagnostic) ?? whatIsThere(diagnostic, node, around),
  ];
  return [{ start, length, message: parts.filter(Boolean).join("\n") }];
}

function found({ node, message }: Finding, file: TS.SourceFile): Place {
  const start = node.getStart(file);
  return { start, length: node.end - start, message };
}

function problemOf(
  { start, length, message }: Place,
  edited: EditedText,
  code: string,
  isReadable: boolean,
): ProgramProblem[] {
  // What is never closed is missed behind the end.
  const end = isReadable || start < edited.end ? undefined : code.trimEnd().length;
  const position = end ?? edited.original(start);
  if (position === undefined) return [];
  const before = code.slice(0, position).split("\n");
  const line = before.length;
  const column = before.at(-1)!.length + 1;
  const text = code.split("\n")[line - 1]!.replace(/\r$/, "");
  return [{ line, column, message, excerpt: excerptOf(text, line, column, length) }];
}

function inOrder(problems: readonly ProgramProblem[]): ProgramProblem[] {
  const ordered = [...problems].sort((a, b) => a.line - b.line || a.column - b.column);
  const isFirst = (problem: ProgramProblem, index: number) => {
    const before = ordered[index - 1];
    return before?.line !== problem.line || before.column !== problem.column;
  };
  return ordered.filter(isFirst).slice(0, PROBLEMS);
}
