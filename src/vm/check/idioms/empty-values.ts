/** `{ items: [] }`, `reduce(…, {})`: TypeScript holds what is empty for something that stays so. */
import type { Edit } from "../edits.ts";
import { type TS, ts, walk } from "../typescript.ts";

export function emptyValues(source: TS.SourceFile): Edit[] {
  const edits: Edit[] = [];
  walk(source, (node) => {
    if (ts.isArrayLiteralExpression(node) && node.parent && ts.isArrayLiteralExpression(node.parent)) {
      if (node.elements.length === 0) edits.push(after(node, " as any[]"));
      return;
    }
    const value = ts.isCallExpression(node) ? firstOfReduce(node) : startOf(node);
    if (!value) return;
    if (ts.isArrayLiteralExpression(value) && value.elements.length === 0) edits.push(after(value, " as any[]"));
    const isEmptyObject = ts.isObjectLiteralExpression(value) && value.properties.length === 0;
    if (isEmptyObject && !ts.isPropertyAssignment(node)) edits.push(after(value, " as any"));
  });
  return edits;
}

/** What a property, a field or a parameter starts with, where it does not say its type. */
function startOf(node: TS.Node): TS.Expression | undefined {
  if (ts.isPropertyAssignment(node)) return node.initializer;
  return (ts.isPropertyDeclaration(node) || ts.isParameter(node)) && !node.type ? node.initializer : undefined;
}

/** The value that all is collected in, unless `(sum: Totals, order) => …` says its type. */
function firstOfReduce(call: TS.CallExpression): TS.Expression | undefined {
  const [callback, first] = call.arguments;
  if (call.typeArguments || !ts.isPropertyAccessExpression(call.expression)) return undefined;
  if (!callback || !/^reduce(Right)?$/.test(call.expression.name.text)) return undefined;
  return ts.isFunctionLike(callback) && callback.parameters[0]?.type ? undefined : first;
}

function after(node: TS.Node, text: string): Edit {
  return { start: node.end, end: node.end, text };
}
