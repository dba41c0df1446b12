/** Objects that get their properties later, as JavaScript has it: nothing is said of those. */
import type { Edit } from "../edits.ts";
import { isAssignment, type TS, ts, walk } from "../typescript.ts";

export function growingObjects(source: TS.SourceFile): Edit[] {
  const writes = propertyWrites(source);
  const written = new Set(writes.map(({ property }) => property));
  const edits: Edit[] = [];
  walk(source, (node) => {
    if (!ts.isVariableDeclaration(node) || node.type || !node.initializer || !ts.isIdentifier(node.name)) return;
    if (!ts.isObjectLiteralExpression(node.initializer)) return;
    const name = node.name.text;
    const literal = node.initializer;
    const isGrowing = writes.some(({ object, property }) => object === name && !mayHave(literal, property));
    edits.push(...(isGrowing ? [after(literal, " as any")] : emptyValues(literal, written)));
  });
  return edits;
}

/** `{ items: [], best: null }` says nothing of what comes into them. */
export function emptyValues(literal: TS.ObjectLiteralExpression, written?: ReadonlySet<string | undefined>): Edit[] {
  return literal.properties.flatMap((property) => {
    if (!ts.isPropertyAssignment(property)) return [];
    const value = property.initializer;
    if (ts.isArrayLiteralExpression(value) && value.elements.length === 0) return [after(value, " as any[]")];
    if (ts.isObjectLiteralExpression(value)) return emptyValues(value, written);
    const isNothing = value.kind === ts.SyntaxKind.NullKeyword || (ts.isIdentifier(value) && value.text === "undefined");
    return isNothing && (!written || written.has(nameOf(property.name))) ? [after(value, " as any")] : [];
  });
}

/** `property` is undefined where it is computed. */
function propertyWrites(source: TS.SourceFile): { object: string | undefined; property: string | undefined }[] {
  const writes: { object: string | undefined; property: string | undefined }[] = [];
  walk(source, (node) => {
    const target = writtenBy(node);
    if (!target) return;
    const object = ts.isIdentifier(target.expression) ? target.expression.text : undefined;
    if (ts.isPropertyAccessExpression(target)) writes.push({ object, property: target.name.text });
    else if (ts.isElementAccessExpression(target)) {
      const key = target.argumentExpression;
      writes.push({ object, property: ts.isStringLiteralLike(key) ? key.text : undefined });
    }
  });
  return writes;
}

function writtenBy(node: TS.Node): TS.PropertyAccessExpression | TS.ElementAccessExpression | undefined {
  const target =
    ts.isBinaryExpression(node) && isAssignment(node)
      ? node.left
      : ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)
        ? node.operand
        : undefined;
  return target && (ts.isPropertyAccessExpression(target) || ts.isElementAccessExpression(target)) ? target : undefined;
}

function mayHave(literal: TS.ObjectLiteralExpression, property: string | undefined): boolean {
  if (property === undefined) return literal.properties.length > 0;
  return literal.properties.some((one) => ts.isSpreadAssignment(one) || nameOf(one.name) === property);
}

function nameOf(name: TS.PropertyName | undefined): string | undefined {
  return name && (ts.isIdentifier(name) || ts.isStringLiteralLike(name)) ? name.text : undefined;
}

function after(node: TS.Node, text: string): Edit {
  return { start: node.end, end: node.end, text };
}
