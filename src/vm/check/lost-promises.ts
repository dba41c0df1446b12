/** Promises that nobody waits for, where TypeScript has nothing to say. */
import { isOfLibrary } from "./compiler.ts";
import { bare, isPromise } from "./nodes.ts";
import { isAssignment, type TS, ts, walk } from "./typescript.ts";

export interface Finding {
  node: TS.Node;
  message: string;
}

const NOT_AWAITED = "This is a promise, which was not awaited: write await in front of it.";

/** @param last the statement whose value the program returns without saying so */
export function lostPromises(file: TS.SourceFile, last: TS.Statement | undefined, checker: TS.TypeChecker): Finding[] {
  const findings: Finding[] = [];
  walk(file, (node) => {
    if (ts.isExpressionStatement(node)) {
      findings.push(...(node === last ? held(node.expression, checker) : floating(node.expression, checker)));
    } else if (ts.isThrowStatement(node) && node.parent.kind === ts.SyntaxKind.SourceFile) {
      findings.push(...held(node.expression, checker));
    } else if (ts.isCallExpression(node)) {
      findings.push(...unwaitedCallback(node, checker), ...printed(node, checker));
    } else {
      const value = usedAsText(node, checker);
      if (value && isPromise(checker.getTypeAtLocation(value))) findings.push({ node: value, message: NOT_AWAITED });
    }
  });
  return findings;
}

/** A statement that is nothing but a call. */
function floating(expression: TS.Expression, checker: TS.TypeChecker): Finding[] {
  return callsIn(expression)
    .filter((call) => startsSomething(call, checker))
    .filter((call) => {
      const type = checker.getTypeAtLocation(call);
      return isPromise(type) || (isMapped(call) && holdsPromises(type, checker));
    })
    .map((call) => ({
      node: call,
      message: `${nameOf(call)} was not awaited: write await, or void where nothing waits.`,
    }));
}

/** `cancel()`, `isOld && cancel()`, `isOld ? cancel() : keep()`. */
function callsIn(expression: TS.Expression): TS.CallExpression[] {
  const node = bare(expression);
  if (ts.isCallExpression(node)) return [node];
  if (ts.isConditionalExpression(node)) return [...callsIn(node.whenTrue), ...callsIn(node.whenFalse)];
  if (!ts.isBinaryExpression(node) || isAssignment(node)) return [];
  return node.operatorToken.kind === ts.SyntaxKind.CommaToken
    ? [...callsIn(node.left), ...callsIn(node.right)]
    : callsIn(node.right);
}

/** Taking a promise out of a list, `queue.shift()`, starts nothing. */
function startsSomething(call: TS.CallExpression, checker: TS.TypeChecker): boolean {
  const declaration = checker.getResolvedSignature(call)?.declaration;
  if (!declaration || !isOfLibrary(declaration.getSourceFile())) return true;
  const owner = declaration.parent;
  return isMapped(call) || (ts.isInterfaceDeclaration(owner) && owner.name.text.startsWith("Promise"));
}

function isMapped(call: TS.CallExpression): boolean {
  return ts.isPropertyAccessExpression(call.expression) && /^(flatM|m)ap$/.test(call.expression.name.text);
}

/** Of the value of the program. A promise alone is waited for; one inside of an array or object is not. */
function held(expression: TS.Expression, checker: TS.TypeChecker): Finding[] {
  const node = bare(expression);
  if (ts.isObjectLiteralExpression(node)) {
    return node.properties.flatMap((property) => {
      const value = ts.isPropertyAssignment(property) ? property.initializer : property.name;
      if (!value) return [];
      const type = checker.getTypeAtLocation(value);
      return isPromise(type) || holdsPromises(type, checker) ? [{ node: value, message: NOT_AWAITED }] : [];
    });
  }
  if (!holdsPromises(checker.getTypeAtLocation(node), checker)) return [];
  return [{ node, message: "These are promises, which were not awaited: write await Promise.all(…) around them." }];
}

function holdsPromises(type: TS.Type, checker: TS.TypeChecker): boolean {
  if (!checker.isArrayType(type) && !checker.isTupleType(type)) return false;
  return checker.getTypeArguments(type as TS.TypeReference).some(isPromise);
}

const judges = new Set(["filter", "some", "every", "find", "findIndex", "findLast", "findLastIndex"]);

function unwaitedCallback(call: TS.CallExpression, checker: TS.TypeChecker): Finding[] {
  const [callback] = call.arguments;
  if (!callback || !ts.isPropertyAccessExpression(call.expression)) return [];
  const { name } = call.expression;
  if (!judges.has(name.text) && name.text !== "forEach") return [];
  const declaration = checker.getResolvedSignature(call)?.declaration;
  if (!declaration || !isOfLibrary(declaration.getSourceFile())) return [];
  const gives = checker.getTypeAtLocation(callback).getCallSignatures();
  if (!gives.some((signature) => isPromise(signature.getReturnType()))) return [];
  const message =
    name.text === "forEach"
      ? "forEach does not wait for its callback: write a for…of loop with await in it, or await Promise.all(….map(…))."
      : `${name.text} does not wait for its callback, and a promise is always true: await the values first.`;
  return [{ node: callback, message }];
}

/** `console.log(call())`, `JSON.stringify(call())`, `String(call())`. */
function printed(call: TS.CallExpression, checker: TS.TypeChecker): Finding[] {
  if (!/^(console\.\w+|JSON\.stringify|String|Number)$/.test(call.expression.getText())) return [];
  return call.arguments
    .filter((value) => isPromise(checker.getTypeAtLocation(value)))
    .map((node) => ({ node, message: NOT_AWAITED }));
}

/** Where a promise would become "[object Promise]", or true. */
function usedAsText(node: TS.Node, checker: TS.TypeChecker): TS.Expression | undefined {
  if (ts.isTemplateSpan(node)) return node.expression;
  if (ts.isPrefixUnaryExpression(node)) {
    // `!pending` may ask whether there is one.
    return checker.getTypeAtLocation(node.operand).isUnion() ? undefined : node.operand;
  }
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return undefined;
  return isPromise(checker.getTypeAtLocation(node.left)) ? node.left : node.right;
}

function nameOf(call: TS.CallExpression): string {
  const text = call.expression.getText().replace(/\s+/g, " ");
  return text.length > 60 ? "This call" : `${text}(…)`;
}
