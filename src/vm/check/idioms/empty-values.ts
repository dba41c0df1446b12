/** `{ items: [] }`, `reduce(…, {})`: TypeScript holds what is empty for something that stays so. */
import type { Edit } from "../edits.ts";
import { type TS, ts, walk } from "../typescript.ts";

export function emptyValues(source: TS.SourceFile): Edit[] {
  const edits: Edit[] = [];
  walk(source, (node) => {
    if (ts.isArrayLiteralExpression(node) && node.elements.length === 0 && isLost(node)) {
      edits.push(after(node, " as any[]"));
    }
    const value = ts.isCallExpression(node) ? firstOfReduce(node) : startOf(node);
    if (!value) return;
    const isEmptyObject = ts.isObjectLiteralExpression(value) && value.properties.length === 0;
    if (isEmptyObject) edits.push(after(value, " as any"));
  });
  return edits;
}

/** Not in `const rows = []`, which TypeScript follows, and not in `orders ?? []`. */
function isLost(list: TS.ArrayLiteralExpression): boolean {
  const { parent } = list;
  if (ts.isCallExpression(parent)) return !parent.typeArguments && parent.expression !== list;
  if (ts.isArrayLiteralExpression(parent) || ts.isPropertyAssignment(parent)) return true;
  return startOf(parent) === list;
}

/** What a field or a parameter starts with, where it does not say its type. */
function startOf(node: TS.Node): TS.Expression | undefined {
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
