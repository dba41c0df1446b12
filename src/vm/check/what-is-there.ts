/** Beside a name that is wrong: the names that there are. */
import { isOfLibrary } from "./compiler.ts";
import { type TS, ts } from "./typescript.ts";
import { namedOverload } from "./widened.ts";

const NAMES = 30;

export interface Surroundings {
  file: TS.SourceFile;
  declarations: TS.SourceFile;
  checker: TS.TypeChecker;
}

export function whatIsThere(diagnostic: TS.Diagnostic, node: TS.Node, around: Surroundings): string | undefined {
  switch (diagnostic.code) {
    case 2339: // Property does not exist
    case 2551:
    case 7053:
      return propertiesOf(receiverOf(node, around.checker), around);
    case 2353: // Unknown property of an object literal
    case 2561:
      return propertiesOf(literalType(node, around.checker), around);
    case 2304: // Cannot find name
    case 2580:
    case 2584:
    case 2591:
    case 18004:
      return isType(node) ? undefined : declaredNames(around.declarations);
    case 2307: // Cannot find module
      return "Nothing can be imported: all that there is is declared.";
    case 2345: // Not assignable
    case 2769:
      return lackingArgument(node, around.checker) ?? valuesOf(expectedType(node, around.checker), diagnostic, around);
    case 2322:
    case 2820:
      return valuesOf(expectedType(node, around.checker), diagnostic, around);
    case 2367: // Compared with what it never is
    case 2678:
      return valuesOf(comparedType(node, around.checker), diagnostic, around);
  }
  return undefined;
}

function receiverOf(node: TS.Node, checker: TS.TypeChecker): TS.Type | undefined {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return checker.getTypeAtLocation(parent.expression);
  if (ts.isBindingElement(parent)) return checker.getTypeAtLocation(parent.parent);
  const access = ts.findAncestor(node, ts.isElementAccessExpression);
  return access && checker.getTypeAtLocation(access.expression);
}

function literalType(node: TS.Node, checker: TS.TypeChecker): TS.Type | undefined {
  const literal = ts.findAncestor(node, ts.isObjectLiteralExpression);
  return literal && checker.getContextualType(literal);
}

/** Not for what the language has: a model knows what an array can do. */
function propertiesOf(type: TS.Type | undefined, { checker }: Surroundings): string | undefined {
  if (!type || type.flags & ts.TypeFlags.Never) return undefined;
  const own = checker.getNonNullableType(type);
  const properties = own.getProperties();
  const isOwn = properties.every(({ declarations = [] }) => !declarations.some((d) => isOfLibrary(d.getSourceFile())));
  if (!isOwn || properties.length === 0) return undefined;
  return `There are: ${list(properties.map(({ name }) => name))}.`;
}

function isType(node: TS.Node): boolean {
  return ts.isTypeReferenceNode(node.parent);
}

function declaredNames(declarations: TS.SourceFile): string | undefined {
  const names = declarations.statements.flatMap((statement) => namesOf(statement, ""));
  return names.length === 0 ? undefined : `Declared are: ${list([...new Set(names)])}.`;
}

function namesOf(statement: TS.Statement, prefix: string): string[] {
  if (ts.isFunctionDeclaration(statement) && statement.name) return [prefix + statement.name.text];
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map(({ name }) => prefix + name.getText());
  }
  if (!ts.isModuleDeclaration(statement) || !statement.body || !ts.isModuleBlock(statement.body)) return [];
  const path = `${prefix}${statement.name.text}.`;
  return statement.body.statements.flatMap((one) => namesOf(one, path));
}

function expectedType(node: TS.Node, checker: TS.TypeChecker): TS.Type | undefined {
  if (ts.isPropertyAssignment(node.parent)) return checker.getContextualType(node.parent.initializer);
  return ts.isExpression(node) ? checker.getContextualType(node) : undefined;
}

function comparedType(node: TS.Node, checker: TS.TypeChecker): TS.Type | undefined {
  const cases = ts.isCaseClause(node.parent) ? node.parent.parent.parent : undefined;
  const sides = cases ? [cases.expression] : ts.isBinaryExpression(node) ? [node.left, node.right] : [];
  return sides.map((side) => checker.getTypeAtLocation(side)).find((type) => type.isUnion());
}

/** `exit("escalate")`: there is an overload of this name, which wants more. */
function lackingArgument(node: TS.Node, checker: TS.TypeChecker): string | undefined {
  const call = node.parent;
  if (!ts.isStringLiteralLike(node) || !ts.isCallExpression(call) || call.arguments[0] !== node) return undefined;
  const lacking = namedOverload(call, checker)?.parameters[call.arguments.length];
  if (!lacking) return undefined;
  const type = checker.typeToString(checker.getTypeOfSymbolAtLocation(lacking, call));
  return `With "${node.text}" another argument is needed: ${type}.`;
}

/** Where the message has only the name of a set of values. */
function valuesOf(type: TS.Type | undefined, diagnostic: TS.Diagnostic, { checker }: Surroundings): string | undefined {
  const own = type && checker.getNonNullableType(type);
  if (!own?.isUnion() || !own.types.every((one) => one.isStringLiteral())) return undefined;
  const values = own.types.map((one) => checker.typeToString(one));
  const message = ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n");
  return values.every((value) => message.includes(value)) ? undefined : `There are: ${list(values)}.`;
}

function list(names: readonly string[]): string {
  const more = names.length - NAMES;
  return names.slice(0, NAMES).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
