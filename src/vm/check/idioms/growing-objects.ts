/** Objects that get their properties later, as JavaScript has it: nothing is said of those. */
import type { Edit } from "../edits.ts";
import { isAssignment, type TS, ts, walk } from "../typescript.ts";

interface Write {
  /** `this`, or a name; undefined where it is anything else. */
  object: string | undefined;
  /** Undefined where it is computed. */
  property: string | undefined;
}

/** @param isOver later programs may write to its objects too */
export function growingObjects(source: TS.SourceFile, isOver: boolean): Edit[] {
  const writes = propertyWrites(source);
  const written = new Set(writes.map(({ property }) => property));
  const edits: Edit[] = [];
  walk(source, (node) => {
    if (ts.isVariableDeclaration(node)) edits.push(...growing(node, writes));
    else if (ts.isClassLike(node)) edits.push(...undeclaredFields(node));
    else if (
      ts.isPropertyAssignment(node) &&
      isNothing(node.initializer) &&
      (isOver || written.has(nameOf(node.name)))
    ) {
      edits.push(insert(node.initializer.end, " as any"));
    }
  });
  return edits;
}

function growing({ name, type, initializer }: TS.VariableDeclaration, writes: readonly Write[]): Edit[] {
  if (type || !initializer || !ts.isIdentifier(name)) return [];
  const isGrowing = writes.some(({ object, property }) => object === name.text && isNew(property, initializer));
  return isGrowing ? [insert(initializer.end, " as any")] : [];
}

/** A constructor that writes `this.items = []`, without a field of that name. */
function undeclaredFields(node: TS.ClassLikeDeclaration): Edit[] {
  const members = node.members.flatMap((member) => [
    nameOf(member.name),
    ...(ts.isConstructorDeclaration(member) ? member.parameters.map(({ name }) => name.getText()) : []),
  ]);
  const isUndeclared = propertyWrites(node).some(
    ({ object, property }) => object === "this" && property !== undefined && !members.includes(property),
  );
  return isUndeclared && !node.heritageClauses ? [insert(node.members.pos, " [name: string]: any;")] : [];
}

/** Assignments to properties. */
export function propertyWrites(node: TS.Node): Write[] {
  const writes: Write[] = [];
  walk(node, (inner) => {
    const target = writtenBy(inner);
    if (!target) return;
    const { expression } = target;
    const isNamed = ts.isIdentifier(expression) || expression.kind === ts.SyntaxKind.ThisKeyword;
    writes.push({ object: isNamed ? expression.getText() : undefined, property: keyOf(target) });
  });
  return writes;
}

type Access = TS.PropertyAccessExpression | TS.ElementAccessExpression;

function writtenBy(node: TS.Node): Access | undefined {
  const target =
    ts.isBinaryExpression(node) && isAssignment(node)
      ? node.left
      : ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)
        ? node.operand
        : undefined;
  return target && (ts.isPropertyAccessExpression(target) || ts.isElementAccessExpression(target)) ? target : undefined;
}

function keyOf(access: Access): string | undefined {
  if (ts.isPropertyAccessExpression(access)) return access.name.text;
  const key = access.argumentExpression;
  return ts.isStringLiteralLike(key) || ts.isNumericLiteral(key) ? key.text : undefined;
}

/** A literal without it, or an error that gets more than errors have. */
function isNew(property: string | undefined, value: TS.Expression): boolean {
  if (ts.isNewExpression(value)) {
    const isError = /Error$/.test(value.expression.getText());
    return isError && property !== undefined && !/^(name|message|stack|cause)$/.test(property);
  }
  if (!ts.isObjectLiteralExpression(value)) return false;
  if (property === undefined) return value.properties.length === 0;
  return !value.properties.some((one) => ts.isSpreadAssignment(one) || nameOf(one.name) === property);
}

function nameOf(name: TS.PropertyName | undefined): string | undefined {
  if (!name || ts.isComputedPropertyName(name)) return undefined;
  return name.text;
}

function isNothing(value: TS.Expression): boolean {
  return value.kind === ts.SyntaxKind.NullKeyword || (ts.isIdentifier(value) && value.text === "undefined");
}

function insert(position: number, text: string): Edit {
  return { start: position, end: position, text };
}
