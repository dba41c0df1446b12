/** `filter((o) => o && o.total > 5)`: what such a filter rules out is gone, though TypeScript does not see it by itself. */
import type { Edit } from "../edits.ts";
import { type TS, ts, walk } from "../typescript.ts";

export function filters(source: TS.SourceFile): Edit[] {
  const edits: Edit[] = [];
  walk(source, (node) => {
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return;
    if (node.expression.name.text !== "filter" || node.typeArguments || node.arguments.length !== 1) return;
    const [callback] = node.arguments;
    if (callback && ts.isArrowFunction(callback)) edits.push(...predicate(callback, source));
  });
  return edits;
}

function predicate(arrow: TS.ArrowFunction, source: TS.SourceFile): Edit[] {
  const [parameter] = arrow.parameters;
  const { body } = arrow;
  if (!parameter || !ts.isIdentifier(parameter.name) || arrow.type || arrow.modifiers || ts.isBlock(body)) return [];
  const name = parameter.name.text;
  const guarded = conjuncts(body).map((part) => guardedBy(part, name));
  const isGuarded = guarded.some((path) => path?.length === 0) || guarded.some((path) => path?.[0]?.isOptional);
  const properties = guarded.flatMap((path) => (path?.length === 1 ? [path[0]!.name] : []));
  if (!isGuarded && properties.length === 0) return [];

  const own = `typeof ${name}`;
  const there = isGuarded ? `NonNullable<${own}>` : own;
  const parts = properties.map((property) => `{ ${property}: NonNullable<(${there})["${property}"]> }`);
  const hasBrackets = source.text.slice(arrow.getStart(source), parameter.getStart(source)).includes("(");
  const end = hasBrackets
    ? source.text.lastIndexOf(")", arrow.equalsGreaterThanToken.getStart(source)) + 1
    : parameter.end;
  return [
    ...(hasBrackets ? [] : [{ start: parameter.getStart(source), end: parameter.getStart(source), text: "(" }]),
    { start: end, end, text: `${hasBrackets ? "" : ")"}: ${name} is ${[there, ...parts].join(" & ")}` },
    { start: body.getStart(source), end: body.getStart(source), text: "!!(" },
    { start: body.end, end: body.end, text: ")" },
  ];
}

function conjuncts(node: TS.Expression): TS.Expression[] {
  const inner = bare(node);
  return ts.isBinaryExpression(inner) && inner.operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken
    ? [...conjuncts(inner.left), ...conjuncts(inner.right)]
    : [inner];
}

type Path = { name: string; isOptional: boolean }[];

/** The path from the parameter to what is something when this part is true: `[]` for itself. */
function guardedBy(part: TS.Expression, parameter: string): Path | undefined {
  if (ts.isPrefixUnaryExpression(part) && ts.isPrefixUnaryExpression(part.operand)) {
    return guardedBy(bare(part.operand.operand), parameter);
  }
  if (ts.isBinaryExpression(part)) {
    const { kind } = part.operatorToken;
    const isUnequal =
      kind === ts.SyntaxKind.ExclamationEqualsToken || kind === ts.SyntaxKind.ExclamationEqualsEqualsToken;
    const isNothing = part.right.kind === ts.SyntaxKind.NullKeyword || part.right.getText() === "undefined";
    return isUnequal && isNothing ? guardedBy(bare(part.left), parameter) : undefined;
  }
  return pathOf(part, parameter);
}

function pathOf(node: TS.Expression, parameter: string): Path | undefined {
  if (ts.isIdentifier(node)) return node.text === parameter ? [] : undefined;
  if (!ts.isPropertyAccessExpression(node) || !ts.isIdentifier(node.name)) return undefined;
  const above = pathOf(bare(node.expression), parameter);
  return above && [...above, { name: node.name.text, isOptional: node.questionDotToken !== undefined }];
}

function bare(node: TS.Expression): TS.Expression {
  return ts.isParenthesizedExpression(node) ? bare(node.expression) : node;
}
