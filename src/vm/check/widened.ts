/** Values of a wider type than is asked for, where nothing says that they are wrong: `let status = "paid"` is a string. */
import { type TS, ts } from "./typescript.ts";

const DEPTH = 4;

/** Whether a diagnostic at this node is about nothing else. */
export function isOnlyWidened(node: TS.Node, checker: TS.TypeChecker): boolean {
  const call = node.parent;
  if (ts.isCallExpression(call) && call.expression === node) return isOverloadWidened(call, checker);
  const { source, target } = assigned(node, checker) ?? {};
  if (!source || !target || checker.isTypeAssignableTo(source, target)) return false;
  return mayFit(source, target, checker, DEPTH);
}

/** `exit("done", { rating })`, where `rating` is any number. */
function isOverloadWidened(call: TS.CallExpression, checker: TS.TypeChecker): boolean {
  const signature = namedOverload(call, checker);
  if (!signature || signature.parameters.length !== call.arguments.length) return false;
  return call.arguments.every((argument, index) => {
    const target = checker.getTypeOfSymbolAtLocation(signature.parameters[index]!, call);
    return !hasMore(argument, target) && mayFit(checker.getTypeAtLocation(argument), target, checker, DEPTH);
  });
}

/** The overload whose first parameter is the name that the call begins with. */
export function namedOverload(call: TS.CallExpression, checker: TS.TypeChecker): TS.Signature | undefined {
  const [name] = call.arguments;
  if (!name || !ts.isStringLiteralLike(name)) return undefined;
  const signatures = checker.getTypeAtLocation(call.expression).getCallSignatures();
  return signatures.find(({ parameters: [first] }) => {
    const type = first && checker.getTypeOfSymbolAtLocation(first, call);
    return type?.isStringLiteral() && type.value === name.text;
  });
}

/** Properties that nobody asked for. */
function hasMore(argument: TS.Expression, target: TS.Type): boolean {
  if (!ts.isObjectLiteralExpression(argument)) return false;
  return argument.properties.some(({ name }) => name && !target.getProperty(name.getText()));
}

interface Pair {
  source: TS.Type;
  target: TS.Type | undefined;
}

function assigned(node: TS.Node, checker: TS.TypeChecker): Pair | undefined {
  const { parent } = node;
  if (ts.isPropertyAssignment(parent) && parent.name === node) return pairOf(parent.initializer, checker);
  if (ts.isVariableDeclaration(parent) && parent.name === node && parent.initializer) {
    return { source: checker.getTypeAtLocation(parent.initializer), target: checker.getTypeAtLocation(node) };
  }
  if (ts.isBinaryExpression(parent) && parent.left === node) {
    return { source: checker.getTypeAtLocation(parent.right), target: checker.getTypeAtLocation(node) };
  }
  return ts.isExpression(node) ? pairOf(node, checker) : undefined;
}

function pairOf(expression: TS.Expression, checker: TS.TypeChecker): Pair {
  return { source: checker.getTypeAtLocation(expression), target: checker.getContextualType(expression) };
}

function mayFit(source: TS.Type, target: TS.Type, checker: TS.TypeChecker, depth: number): boolean {
  if (depth === 0) return false;
  if (checker.isTypeAssignableTo(source, target)) return true;
  const fits = (one: TS.Type, other: TS.Type) => mayFit(one, other, checker, depth - 1);
  if (source.isUnion()) return source.types.every((part) => fits(part, target));
  if (target.isUnion()) return target.types.some((part) => mayFit(source, part, checker, depth));
  if (source.flags & ts.TypeFlags.String) return target.isStringLiteral() || isTemplate(target);
  if (source.flags & ts.TypeFlags.Number) return target.isNumberLiteral();
  if (isList(source, checker)) return listFits(source, target, checker, fits);
  return isObject(source) && isObject(target) && propertiesFit(source, target, checker, fits);
}

type Fits = (one: TS.Type, other: TS.Type) => boolean;

function propertiesFit(source: TS.Type, target: TS.Type, checker: TS.TypeChecker, fits: Fits): boolean {
  if (target.getCallSignatures().length > 0 || target.getProperties().length === 0) return false;
  return target.getProperties().every((wanted) => {
    const given = source.getProperty(wanted.name);
    if (!given) return (wanted.flags & ts.SymbolFlags.Optional) !== 0;
    return fits(checker.getTypeOfSymbol(given), checker.getTypeOfSymbol(wanted));
  });
}

/** Which place of a row has which type is forgotten in `names.map((name, index) => [name, index])`. */
function listFits(source: TS.Type, target: TS.Type, checker: TS.TypeChecker, fits: Fits): boolean {
  const given = elementsOf(source, checker);
  const wanted = elementsOf(target, checker);
  if (checker.isTupleType(target)) return given.flatMap(partsOf).every((part) => wanted.some((one) => fits(part, one)));
  const isOfOneType = checker.isArrayType(target) || target.symbol?.name === "Iterable";
  return isOfOneType && wanted[0] !== undefined && given.every((one) => fits(one, wanted[0]!));
}

function elementsOf(list: TS.Type, checker: TS.TypeChecker): readonly TS.Type[] {
  const isReference = isObject(list) && ((list as TS.ObjectType).objectFlags & ts.ObjectFlags.Reference) !== 0;
  return isReference ? checker.getTypeArguments(list as TS.TypeReference) : [];
}

function partsOf(type: TS.Type): TS.Type[] {
  return type.isUnion() ? type.types : [type];
}

function isList(type: TS.Type, checker: TS.TypeChecker): boolean {
  return checker.isArrayType(type) || checker.isTupleType(type);
}

function isObject(type: TS.Type): boolean {
  return (type.flags & ts.TypeFlags.Object) !== 0;
}

function isTemplate(type: TS.Type): boolean {
  return (type.flags & ts.TypeFlags.TemplateLiteral) !== 0;
}
