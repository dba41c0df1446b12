/** What stands at the top level of a program, and stays for the programs after it. */
import { assignedNames } from "./idioms/assigned-inside.ts";
import { type TS, ts } from "./typescript.ts";

export interface Binding {
  name: string;
  kind: "const" | "let" | "other";
  isExported: boolean;
}

/** A binding of an earlier program. */
export interface Kept extends Binding {
  /** The module that it is in. */
  module: string;
}

export function topLevelBindings(source: TS.SourceFile): Binding[] {
  return source.statements.flatMap((statement): Binding[] => {
    const isExported = ts.canHaveModifiers(statement) && hasExport(ts.getModifiers(statement));
    if (ts.isVariableStatement(statement)) {
      const kind = statement.declarationList.flags & ts.NodeFlags.Const ? "const" : "let";
      return statement.declarationList.declarations
        .flatMap(({ name }) => namesIn(name))
        .map((name) => ({ name, kind, isExported }));
    }
    return isNamed(statement) && statement.name ? [{ name: statement.name.text, kind: "other", isExported }] : [];
  });
}

/** Behind an earlier program: gives its bindings to the later ones, as they are declared and as they were at its end. */
export function exportsOf(bindings: readonly Binding[]): string {
  const names = [...new Set(bindings.filter(({ isExported }) => !isExported).map(({ name }) => name))];
  const variables = [...new Set(bindings.filter(({ kind }) => kind !== "other").map(({ name }) => name))];
  return [`export { ${names.join(", ")} };`, ...variables.map((name) => `export const $end_${name} = ${name};`)].join(
    "\n",
  );
}

/** Behind any program: the earlier bindings that it names and does not declare itself. */
export function importsOf(source: TS.SourceFile, kept: readonly Kept[]): string {
  const own = new Set(topLevelBindings(source).map(({ name }) => name));
  const words = new Set(source.text.match(/[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/gu));
  const assigned = assignedNames(source);
  return kept
    .filter(({ name }) => words.has(name) && !own.has(name))
    .map(({ name, kind, module }) => {
      const from = JSON.stringify(module);
      const declared = `typeof import(${from}).${name}`;
      const final = `typeof import(${from}).$end_${name}`;
      if (kind === "const") return `declare const ${name}: ${final};`;
      if (kind === "other") return `import { ${name} } from ${from};`;
      return `declare let ${name}: ${assigned.has(name) ? declared : `$Kept<${declared}, ${final}>`};`;
    })
    .join("\n");
}

function isNamed(statement: TS.Statement): statement is TS.Statement & { name?: TS.Identifier } {
  return (
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isEnumDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement)
  );
}

function namesIn(name: TS.BindingName): string[] {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((element) => (ts.isBindingElement(element) ? namesIn(element.name) : []));
}

function hasExport(modifiers: readonly TS.Modifier[] | undefined): boolean {
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}
