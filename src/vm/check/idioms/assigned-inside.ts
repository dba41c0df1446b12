/** Variables that a function inside assigns: TypeScript believes that they keep their first value where it is called. */
import type { Edit } from "../edits.ts";
import { functionAround, isAssignment, type TS, ts, walk } from "../typescript.ts";

export function assignedInside(source: TS.SourceFile): Edit[] {
  const names = namesAssignedInside(source);
  const edits: Edit[] = [];
  walk(source, (node) => {
    if (!ts.isVariableDeclaration(node) || !ts.isIdentifier(node.name) || !names.has(node.name.text)) return;
    const { initializer } = node;
    if (!initializer) return;
    const isBoolean = initializer.kind === ts.SyntaxKind.TrueKeyword || initializer.kind === ts.SyntaxKind.FalseKeyword;
    const type = node.type?.getText(source) ?? (isBoolean ? "boolean" : undefined);
    if (type === undefined || !isPlain(initializer)) return;
    edits.push({ start: initializer.end, end: initializer.end, text: ` as ${type}` });
  });
  return edits;
}

/** Also those that are only declared outside. */
export function namesAssignedInside(source: TS.SourceFile): ReadonlySet<string> {
  const declared = new Map<string, Set<TS.Node | undefined>>();
  walk(source, (node) => {
    if (!ts.isVariableDeclaration(node) || !ts.isIdentifier(node.name)) return;
    const places = declared.get(node.name.text) ?? new Set();
    declared.set(node.name.text, places.add(functionAround(node)));
  });
  const inside = new Set<string>();
  for (const identifier of assigned(source)) {
    const places = declared.get(identifier.text);
    if (places && !places.has(functionAround(identifier))) inside.add(identifier.text);
  }
  return inside;
}

/** Names that are the target of an assignment somewhere. */
export function assignedNames(source: TS.SourceFile): ReadonlySet<string> {
  return new Set(assigned(source).map(({ text }) => text));
}

function assigned(source: TS.SourceFile): TS.Identifier[] {
  const found: TS.Identifier[] = [];
  walk(source, (node) => {
    if (ts.isBinaryExpression(node) && isAssignment(node)) {
      found.push(...identifiersIn(node.left));
    } else if (
      (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) &&
      ts.isIdentifier(node.operand) &&
      (node.operator === ts.SyntaxKind.PlusPlusToken || node.operator === ts.SyntaxKind.MinusMinusToken)
    ) {
      found.push(node.operand);
    }
  });
  return found;
}

/** Of a target: `total`, `[first, rest]`, `({ id } = order)`. */
function identifiersIn(target: TS.Node): TS.Identifier[] {
  if (ts.isIdentifier(target)) return [target];
  if (!ts.isArrayLiteralExpression(target) && !ts.isObjectLiteralExpression(target)) return [];
  const found: TS.Identifier[] = [];
  walk(target, (node) => {
    if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) return false;
    if (ts.isIdentifier(node)) found.push(node);
    return true;
  });
  return found;
}

/** Behind these, `as` can stand without brackets. */
function isPlain(node: TS.Expression): boolean {
  return (
    ts.isLiteralExpression(node) ||
    ts.isIdentifier(node) ||
    ts.isArrayLiteralExpression(node) ||
    ts.isObjectLiteralExpression(node) ||
    [ts.SyntaxKind.NullKeyword, ts.SyntaxKind.TrueKeyword, ts.SyntaxKind.FalseKeyword].includes(node.kind)
  );
}
