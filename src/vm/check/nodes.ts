/** Finding one's way in a checked program: nodes by place, and what is a promise. */
import { type TS, ts } from "./typescript.ts";

/** The innermost node that stands exactly there, or else the innermost around it. */
export function nodeAt(file: TS.SourceFile, start: number, length: number): TS.Node {
  let found: TS.Node = file;
  const enter = (node: TS.Node): void => {
    if (node.getStart(file) > start || node.end < start + length) return;
    found = node;
    ts.forEachChild(node, enter);
  };
  ts.forEachChild(file, enter);
  return found;
}

/** Also where it is one perhaps: `order?.cancel()`. */
export function isPromise(type: TS.Type): boolean {
  if (type.isUnion()) return type.types.some(isPromise);
  return type.symbol?.name === "Promise" && !(type.flags & ts.TypeFlags.Any);
}

/** Without brackets, `!` and `as`. */
export function bare(node: TS.Expression): TS.Expression {
  return ts.isParenthesizedExpression(node) || ts.isNonNullExpression(node) || ts.isAsExpression(node)
    ? bare(node.expression)
    : node;
}

/** The last statement, where it is an expression: its value is the program's. */
export function implicitReturn(file: TS.SourceFile, end: number): TS.ExpressionStatement | undefined {
  const last = file.statements.filter((statement) => statement.end <= end).at(-1);
  return last && ts.isExpressionStatement(last) ? last : undefined;
}
