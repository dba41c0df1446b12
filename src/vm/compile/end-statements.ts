/** Ends statements that a line break ended only as long as a type stood before it. */
import type { Edits } from "./edits.ts";
import type { Node, Place } from "./syntax.ts";

const ended = new Set<Node["type"]>([
  "ExpressionStatement",
  "VariableDeclaration",
  "ReturnStatement",
  "ThrowStatement",
  "ClassProperty",
  "ClassPrivateProperty",
]);

export function isEnded({ node, above }: Place): boolean {
  return ended.has(node.type) && !(above && isLoop(above.node) && above.node.body !== node);
}

/** After all erasing: in `a = b as T` the next line may begin with a bracket, and `get: T` may stand before a method. */
export function endStatements(statements: readonly Node[], edits: Edits): void {
  for (const { end } of statements) {
    if (edits.isBlank(end! - 1)) edits.end(end!, ";");
  }
}

function isLoop(node: Node): node is Extract<Node, { type: "ForStatement" | "ForInStatement" | "ForOfStatement" }> {
  return node.type === "ForStatement" || node.type === "ForInStatement" || node.type === "ForOfStatement";
}
