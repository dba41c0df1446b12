/** What TypeScript says against programs that run as they were meant. */
import { isOfLibrary } from "./compiler.ts";
import { namesAssignedInside } from "./idioms/assigned-inside.ts";
import { propertyWrites } from "./idioms/growing-objects.ts";
import { type TS, ts } from "./typescript.ts";
import { isOnlyWidened } from "./widened.ts";

/** Whatever it is said of. */
const always = new Set([
  2366, // A function's end gives undefined.
  2403, // `var` twice, with different types.
  2563, // Too large or too deep to tell.
  2589,
  2590,
  2799,
  2800,
  2564, // A property without a first value.
  2571, // `unknown` proves nothing.
  2695, // The left side of a comma is unused.
  2790, // `delete` of a property that must be there.
  2869, // `??` behind what is never null.
  2870,
  2871,
  2872, // Always true.
  2873, // Always false.
  2881,
  18046, // `unknown` proves nothing.
]);

/** Of the many "implicitly any": those that are about a name that is not there. */
const MISSING_BY_KEY = 7053;
const MISSING_BY_KEY_DID_YOU_MEAN = 7052;

export function isTolerated(diagnostic: TS.Diagnostic, node: TS.Node, checker: TS.TypeChecker): boolean {
  const { code } = diagnostic;
  if (always.has(code)) return true;
  if (code === MISSING_BY_KEY) return !isKnownToMiss(node, checker);
  if (code >= 7005 && code < 7100) return code !== MISSING_BY_KEY_DID_YOU_MEAN;
  switch (code) {
    case 2304: // Cannot find name
    case 2580:
    case 2591:
      return ts.isTypeOfExpression(node.parent);
    case 2322: // Not assignable
    case 2345:
    case 2769:
      return isOnlyWidened(node, checker);
    case 2339: // Property does not exist
      return isOpen(node, checker);
    case 2362: // Arithmetic
    case 2363:
      return isDate(node, checker);
    case 2365: // Operator
      return isUnderstood(node, checker);
    case 2454: // Used before being assigned
      return ts.isIdentifier(node) && namesAssignedInside(node.getSourceFile()).has(node.text);
    case 2531: // Possibly null or undefined
    case 2532:
    case 2533:
    case 18047:
    case 18048:
    case 18049:
      return isCompared(node);
  }
  return false;
}

/** `order["totl"]` and `set[0]`, and not `counts[status]`. */
function isKnownToMiss(node: TS.Node, checker: TS.TypeChecker): boolean {
  const access = ts.findAncestor(node, ts.isElementAccessExpression);
  if (!access) return false;
  const type = checker.getTypeAtLocation(access.expression);
  const key = access.argumentExpression;
  const isLiteral = ts.isStringLiteralLike(key) || ts.isNumericLiteral(key);
  return isLiteral ? !isEmptyObject(type, checker) : isLibraryType(type);
}

/** A Map, a Set, a Promise. */
function isLibraryType(type: TS.Type): boolean {
  const [declaration] = type.symbol?.declarations ?? [];
  return declaration !== undefined && isOfLibrary(declaration.getSourceFile());
}

/** A property of `{}`, or of what TypeScript holds for impossible because it does not see who assigned it. */
function isOpen(node: TS.Node, checker: TS.TypeChecker): boolean {
  const { parent } = node;
  if (ts.isBindingElement(parent)) return isEmptyObject(checker.getTypeAtLocation(parent.parent), checker);
  if (!ts.isPropertyAccessExpression(parent)) return false;
  const type = checker.getTypeAtLocation(parent.expression);
  if (type.flags & ts.TypeFlags.Never) {
    const inside = namesAssignedInside(node.getSourceFile());
    return ts.isIdentifier(parent.expression) && inside.has(parent.expression.text);
  }
  return isEmptyObject(type, checker) || isGrown(type, parent.name.text, node.getSourceFile());
}

/** The program itself gives this property to an object of its own. */
function isGrown(type: TS.Type, name: string, file: TS.SourceFile): boolean {
  const isOwn = ((type.symbol?.flags ?? 0) & ts.SymbolFlags.ObjectLiteral) !== 0;
  return isOwn && propertyWrites(file).some(({ property }) => property === name);
}

function isEmptyObject(type: TS.Type, checker: TS.TypeChecker): boolean {
  return checker.typeToString(type) === "{}";
}

function isDate(node: TS.Node, checker: TS.TypeChecker): boolean {
  return checker.getTypeAtLocation(node).symbol?.name === "Date";
}

/** Numbers or texts added to numbers or texts; dates compared with numbers. */
function isUnderstood(node: TS.Node, checker: TS.TypeChecker): boolean {
  if (!ts.isBinaryExpression(node)) return false;
  const isSum = node.operatorToken.kind === ts.SyntaxKind.PlusToken;
  const parts = [node.left, node.right].map((side) => checker.getTypeAtLocation(side)).flatMap(partsOf);
  return parts.every(({ flags, symbol }) => {
    if (flags & ts.TypeFlags.NumberLike) return true;
    return isSum ? (flags & ts.TypeFlags.StringLike) !== 0 : isComparison(node) && symbol?.name === "Date";
  });
}

function partsOf(type: TS.Type): TS.Type[] {
  return type.isUnion() ? type.types : [type];
}

/** `order?.total > 100` is false where there is no order. */
function isCompared(node: TS.Node): boolean {
  const { parent } = node;
  return ts.isBinaryExpression(parent) && ts.isOptionalChain(node) && isComparison(parent);
}

function isComparison({ operatorToken: { kind } }: TS.BinaryExpression): boolean {
  const { LessThanToken, GreaterThanToken, LessThanEqualsToken, GreaterThanEqualsToken } = ts.SyntaxKind;
  return [LessThanToken, GreaterThanToken, LessThanEqualsToken, GreaterThanEqualsToken].some((one) => one === kind);
}
