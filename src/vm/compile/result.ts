/** What a program gives: its `return`, its default export, or its last expression. */
import type { Edits } from "./edits.ts";
import { isErased } from "./modules.ts";
import { type Node, type NodeOf, type Program, unwrap } from "./syntax.ts";

export interface ProgramResult {
  /** The expression whose value it gives. */
  returned?: Node;
  /** Stands after the program. */
  tail: string;
}

export function giveResult(program: Program, source: string, edits: Edits): ProgramResult {
  const statements = program.body.filter((statement) => !isErased(statement));
  const exported = statements.find((statement) => statement.type === "ExportDefaultDeclaration");
  if (exported) return { tail: giveExport(exported, source, edits) };
  const last = statements.at(-1);
  if (last?.type === "FunctionDeclaration" && statements.length === 1 && !last.generator) {
    return { tail: `;return await ${last.id!.name}()` };
  }
  if (last?.type === "ExpressionStatement") return giveExpression(last, statements.length === 1, source, edits);
  const text = statements.length === 0 ? program.directives.at(-1) : undefined;
  if (text && text.value.value !== "use strict") edits.open(text.start!, "return ");
  return { tail: "" };
}

function giveExport({ start, declaration }: NodeOf<"ExportDefaultDeclaration">, source: string, edits: Edits): string {
  edits.blank(start!, declaration.start!);
  const value = unwrap(declaration);
  const isCalled = isProgram(value) || (value.type === "FunctionDeclaration" && !value.generator);
  if ((value.type === "FunctionDeclaration" || value.type === "ClassDeclaration") && value.id) {
    return isCalled ? `;return await ${value.id.name}()` : `;return ${value.id.name}`;
  }
  // `0,` keeps this name out of the stacks of a function that has none.
  const name = freeName("__default", source);
  edits.open(declaration.start!, `const ${name}=(0,`);
  edits.end(declaration.end!, ");");
  return isCalled ? `;return await ${name}()` : `;return ${name}`;
}

function giveExpression(
  { start, expression }: NodeOf<"ExpressionStatement">,
  isAlone: boolean,
  source: string,
  edits: Edits,
): ProgramResult {
  const value = unwrap(expression);
  if (isAlone && isProgram(value)) {
    const name = freeName("__program", source);
    edits.open(start!, `const ${name}=(0,`);
    edits.end(expression.end!, ");");
    return { tail: `;return await ${name}()` };
  }
  // What was assigned is kept under its name.
  if (value.type === "AssignmentExpression" || value.type === "UpdateExpression") return { tail: "" };
  edits.open(start!, "return ");
  return { returned: expression, tail: "" };
}

/** A function that stands where a program was expected is meant as the program. */
function isProgram(value: Node): boolean {
  return value.type === "ArrowFunctionExpression" || (value.type === "FunctionExpression" && !value.generator);
}

/** A name that a program does not use. */
export function freeName(name: string, source: string): string {
  if (!source.includes(name)) return name;
  const taken = [...source.matchAll(new RegExp(`${name}(\\d{0,9})`, "g"))].map(([, digits]) => Number(digits));
  return name + (taken.reduce((one, other) => Math.max(one, other), 0) + 1);
}
