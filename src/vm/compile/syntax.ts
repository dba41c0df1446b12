/** The syntax tree of a program, as the parser gives it, and the one way to go through it. */
import type { parse } from "@babel/parser";

type Statement = ReturnType<typeof parse>["program"]["body"][number];

/** What hangs on a node, one level down. */
type Below<N> = N extends unknown ? { [Key in keyof N]-?: Kinds<N[Key]> }[keyof N] : never;
type Kinds<V> = 0 extends 1 & V
  ? never
  : V extends readonly (infer E)[]
    ? Kinds<E>
    : Extract<V, { type: string; innerComments?: unknown }>;
type Second = Statement | Below<Statement>;
type Third = Second | Below<Second>;
type Fourth = Third | Below<Third>;

/** Every kind of node that a program can hold. The parser exports no name for them, so they are found from the root. */
export type Node = Fourth | ReturnType<typeof parse>["program"];
export type NodeOf<Type extends Node["type"]> = Extract<Node, { type: Type }>;
export type Program = NodeOf<"Program">;
export type FunctionNode = NodeOf<(typeof functionTypes)[number]>;

/** A node and all that it stands in. */
export interface Place<N extends Node = Node> {
  readonly node: N;
  readonly above: Place | undefined;
}

/**
 * Every node, parents before their children. `enter` says false where it need not go deeper. Without recursion: a chain
 * of ten thousand operators is as deep as it is long.
 */
export function walk(root: Node, enter: (place: Place) => boolean, above?: Place): void {
  const waiting: Place[] = [{ node: root, above }];
  for (let place = waiting.pop(); place; place = waiting.pop()) {
    if (!enter(place)) continue;
    const children = childrenOf(place.node);
    for (let index = children.length - 1; index >= 0; index--) {
      waiting.push({ node: children[index]!, above: place });
    }
  }
}

const notChildren = new Set(["loc", "extra", "errors", "leadingComments", "innerComments", "trailingComments"]);

function childrenOf(node: Node): Node[] {
  const children: Node[] = [];
  for (const [key, value] of Object.entries(node)) {
    if (typeof value !== "object" || value === null || notChildren.has(key)) continue;
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child?.type === "string") children.push(child);
    }
  }
  return children;
}

const functionTypes = [
  "FunctionDeclaration",
  "FunctionExpression",
  "ArrowFunctionExpression",
  "ObjectMethod",
  "ClassMethod",
  "ClassPrivateMethod",
] as const;

export function isFunction(node: Node | undefined): node is FunctionNode {
  return node !== undefined && (functionTypes as readonly string[]).includes(node.type);
}

export function isClass(node: Node): node is NodeOf<"ClassDeclaration" | "ClassExpression"> {
  return node.type === "ClassDeclaration" || node.type === "ClassExpression";
}

/** The expression under parentheses and what TypeScript wraps around one. */
export function unwrap(node: Node): Node {
  for (;;) {
    switch (node.type) {
      case "ParenthesizedExpression":
      case "TSAsExpression":
      case "TSSatisfiesExpression":
      case "TSNonNullExpression":
      case "TSTypeAssertion":
      case "TSInstantiationExpression":
        node = node.expression;
        break;
      default:
        return node;
    }
  }
}

/** The names that a pattern makes: `{ a, b: [c, ...d] }` makes a, c and d. */
export function patternNames(pattern: Node | null | undefined): string[] {
  switch (pattern?.type) {
    case "Identifier":
      return [pattern.name];
    case "ObjectPattern":
      return pattern.properties.flatMap((property) =>
        patternNames(property.type === "RestElement" ? property.argument : property.value),
      );
    case "ArrayPattern":
      return pattern.elements.flatMap((element) => patternNames(element));
    case "AssignmentPattern":
      return patternNames(pattern.left);
    case "RestElement":
      return patternNames(pattern.argument);
    case "TSParameterProperty":
      return patternNames(pattern.parameter);
    default:
      return [];
  }
}
