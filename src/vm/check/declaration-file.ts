/** The declarations that the model was shown, as TypeScript gets them. */
import { HaftError } from "../../base/errors.ts";
import type { NamedText } from "./compiler.ts";
import { applyEdits } from "./edits.ts";
import { hash } from "./program-text.ts";
import { Recent } from "./recent.ts";
import { type TS, ts, walk } from "./typescript.ts";

const recent = new Recent<NamedText>(20);

/** @throws HaftError CHECK_FAILED where they cannot be read: against half of them nothing can be said */
export function declarationFile(declarations: string): NamedText {
  const name = `/declarations-${hash(declarations)}.d.ts`;
  return recent.get(name, () => ({ name, text: withoutUnknown(declarations) }));
}

/** What is shown as `unknown` proves nothing against a program that uses it. */
function withoutUnknown(declarations: string): string {
  const source = ts.createSourceFile("declarations.d.ts", declarations, ts.ScriptTarget.ESNext);
  refuseBroken(source);
  const starts: number[] = [];
  walk(source, (node) => {
    if (node.kind === ts.SyntaxKind.UnknownKeyword) starts.push(node.getStart(source));
  });
  const edits = starts.map((start) => ({ start, end: start + "unknown".length, text: "any" }));
  return applyEdits(declarations, edits).text;
}

function refuseBroken(source: TS.SourceFile): void {
  const { parseDiagnostics: [first] = [] } = source as { parseDiagnostics?: TS.Diagnostic[] };
  if (!first) return;
  const message = ts.flattenDiagnosticMessageText(first.messageText, "\n");
  const { line } = source.getLineAndCharacterOfPosition(first.start ?? 0);
  throw new HaftError("CHECK_FAILED", `The declarations cannot be read, line ${line + 1}: ${message}`);
}
