/** The user's TypeScript, loaded by whoever imports this file: the worker, and nobody else. */
import { createRequire } from "node:module";
import { dirname } from "node:path";
import type TS from "typescript";

export type { TS };

const load = createRequire(import.meta.url);

export const ts: typeof TS = load("typescript");

/** Where its `lib.*.d.ts` are. */
export const libFolder = dirname(load.resolve("typescript"));

/** Every node below this one, parents first; `visit` gives false for what it does not want to enter. */
export function walk(node: TS.Node, visit: (node: TS.Node) => boolean | void): void {
  ts.forEachChild(node, (child) => {
    if (visit(child) !== false) walk(child, visit);
  });
}

/** Where a `return`, an `await` and a `var` of this node belong; undefined at the top level. */
export function functionAround(node: TS.Node): TS.Node | undefined {
  return ts.findAncestor(node.parent, (above) => ts.isFunctionLike(above) || ts.isClassStaticBlockDeclaration(above));
}

/** `=`, `+=`, `??=` … */
export function isAssignment(node: TS.Node): boolean {
  if (!ts.isBinaryExpression(node)) return false;
  const { kind } = node.operatorToken;
  return kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
}
