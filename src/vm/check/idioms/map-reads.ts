/** `if (!map.has(k)) map.set(k, []); map.get(k).push(x)`: who asked or filled before knows that it is there. */
import type { Edit } from "../edits.ts";
import { type TS, ts, walk } from "../typescript.ts";

export function mapReads(source: TS.SourceFile): Edit[] {
  const known = new Map<string, number>();
  const reads: { key: string; call: TS.CallExpression }[] = [];
  walk(source, (node) => {
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression) || !node.arguments[0]) return;
    const { name, expression } = node.expression;
    const key = `${expression.getText(source)} ${node.arguments[0].getText(source)}`;
    if (name.text === "get" && node.arguments.length === 1 && !ts.isAwaitExpression(node.parent)) {
      reads.push({ key, call: node });
    } else if (name.text === "has" || name.text === "set") {
      known.set(key, Math.min(known.get(key) ?? Number.POSITIVE_INFINITY, node.getStart(source)));
    }
  });
  return reads
    .filter(({ key, call }) => (known.get(key) ?? Number.POSITIVE_INFINITY) < call.getStart(source))
    .map(({ call }) => ({ start: call.end, end: call.end, text: "!" }));
}
