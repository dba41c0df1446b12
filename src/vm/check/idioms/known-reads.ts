/** `map.get(k)` behind `map.has(k)`, `queue.shift()` where `queue.length` was looked at: who asked knows that it is there. */
import type { Edit } from "../edits.ts";
import { type TS, ts, walk } from "../typescript.ts";

export function knownReads(source: TS.SourceFile): Edit[] {
  return [...mapReads(source), ...listReads(source)].map((call) => ({ start: call.end, end: call.end, text: "!" }));
}

function mapReads(source: TS.SourceFile): TS.CallExpression[] {
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
    .map(({ call }) => call);
}

function listReads(source: TS.SourceFile): TS.CallExpression[] {
  const asked: string[] = [];
  const reads: TS.CallExpression[] = [];
  walk(source, (node) => {
    const condition = conditionOf(node);
    if (condition) asked.push(condition.getText(source));
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return;
    const { name, expression } = node.expression;
    const length = `${expression.getText(source)}.length`;
    if (/^(shift|pop)$/.test(name.text) && asked.some((text) => text.includes(length))) reads.push(node);
  });
  return reads;
}

function conditionOf(node: TS.Node): TS.Expression | undefined {
  if (ts.isWhileStatement(node) || ts.isIfStatement(node)) return node.expression;
  return ts.isForStatement(node) || ts.isConditionalExpression(node) ? node.condition : undefined;
}
