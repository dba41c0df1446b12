/** `const rows = [["a", 1], ["b", 2]]`: TypeScript forgets which place of a row has which type. */
import type { Edit } from "../edits.ts";
import { type TS, ts, walk } from "../typescript.ts";

export function mixedRows(source: TS.SourceFile): Edit[] {
  const edits: Edit[] = [];
  walk(source, (node) => {
    if (!ts.isVariableDeclaration(node) || node.type || !node.initializer) return;
    if (!ts.isArrayLiteralExpression(node.initializer)) return;
    const rows = node.initializer.elements.filter(ts.isArrayLiteralExpression).filter(isMixed);
    for (const { elements, end } of rows) {
      edits.push({ start: end, end, text: ` as [${elements.map(() => "any").join(", ")}]` });
    }
  });
  return edits;
}

function isMixed({ elements }: TS.ArrayLiteralExpression): boolean {
  return !elements.some(ts.isSpreadElement) && new Set(elements.map(({ kind }) => kind)).size > 1;
}
