/** `reduce(…, [])` and `reduce(…, {})`: TypeScript takes the first value for the type of all that is collected in it. */
import type { Edit } from "../edits.ts";
import { type TS, ts, walk } from "../typescript.ts";
import { emptyValues } from "./growing-objects.ts";

export function firstValues(source: TS.SourceFile): Edit[] {
  const edits: Edit[] = [];
  walk(source, (node) => {
    if (!ts.isCallExpression(node) || node.typeArguments || !ts.isPropertyAccessExpression(node.expression)) return;
    const first = node.arguments[1];
    if (!/^reduce(Right)?$/.test(node.expression.name.text) || !first || saysItsType(node.arguments[0]!)) return;
    if (ts.isArrayLiteralExpression(first) && first.elements.length === 0) edits.push(after(first, " as any[]"));
    if (!ts.isObjectLiteralExpression(first)) return;
    edits.push(...(first.properties.length === 0 ? [after(first, " as any")] : emptyValues(first)));
  });
  return edits;
}

/** `(sum: Totals, order) => …` */
function saysItsType(callback: TS.Expression): boolean {
  return ts.isFunctionLike(callback) && callback.parameters[0]?.type !== undefined;
}

function after(node: TS.Node, text: string): Edit {
  return { start: node.end, end: node.end, text };
}
