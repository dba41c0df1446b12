/** Which names a program makes, and where they hold. */
import { isErased } from "./modules.ts";
import { isClass, isFunction, type Node, type Place, type Program, patternNames, walk } from "./syntax.ts";

/** The names of a program's top level, each with whether it can be assigned to. */
export function topLevelNames(program: Program): Map<string, { isWritable: boolean }> {
  const names = new Map<string, { isWritable: boolean }>();
  for (const name of hoistedNames(program)) names.set(name, { isWritable: true });
  for (const statement of program.body) {
    for (const { name, isWritable } of declaredBy(statement)) names.set(name, { isWritable });
  }
  return names;
}

/** Whether a name is one of the program's own where it stands. */
export class Scopes {
  readonly #names = new Map<Node, ReadonlySet<string>>();

  isOwn(name: string, place: Place | undefined): boolean {
    for (; place; place = place.above) {
      if (this.#namesOf(place.node).has(name)) return true;
    }
    return false;
  }

  #namesOf(node: Node): ReadonlySet<string> {
    let names = this.#names.get(node);
    if (!names) {
      names = new Set(namesIn(node));
      this.#names.set(node, names);
    }
    return names;
  }
}

function namesIn(node: Node): string[] {
  if (isFunction(node)) {
    const own = "id" in node && node.id?.type === "Identifier" ? [node.id.name] : [];
    return [...own, ...node.params.flatMap((parameter) => patternNames(parameter)), ...hoistedNames(node.body)];
  }
  switch (node.type) {
    case "Program":
    case "BlockStatement":
    case "StaticBlock":
      return [
        ...(node.type === "BlockStatement" ? [] : hoistedNames(node)),
        ...node.body.flatMap((statement) => declaredBy(statement).map(({ name }) => name)),
      ];
    case "SwitchStatement":
      return node.cases.flatMap(({ consequent }) => consequent.flatMap(declaredBy).map(({ name }) => name));
    case "ForStatement":
      return node.init ? declaredBy(node.init).map(({ name }) => name) : [];
    case "ForInStatement":
    case "ForOfStatement":
      return declaredBy(node.left).map(({ name }) => name);
    case "CatchClause":
      return patternNames(node.param);
    case "ClassExpression":
      return node.id ? [node.id.name] : [];
    default:
      return [];
  }
}

function declaredBy(statement: Node): { name: string; isWritable: boolean }[] {
  if (isErased(statement)) return [];
  switch (statement.type) {
    case "ExportNamedDeclaration":
    case "ExportDefaultDeclaration":
      return statement.declaration ? declaredBy(statement.declaration) : [];
    case "VariableDeclaration": {
      const isWritable = statement.kind === "let" || statement.kind === "var";
      return statement.declarations.flatMap(({ id }) => patternNames(id)).map((name) => ({ name, isWritable }));
    }
    case "FunctionDeclaration":
      return statement.id ? [{ name: statement.id.name, isWritable: true }] : [];
    case "ClassDeclaration":
    case "TSEnumDeclaration":
      return statement.id ? [{ name: statement.id.name, isWritable: false }] : [];
    default:
      return [];
  }
}

/** `var`s in blocks and loops belong to the function around them. */
function hoistedNames(root: Node): string[] {
  const names: string[] = [];
  walk(root, ({ node }) => {
    if (node !== root && (isFunction(node) || isClass(node) || isErased(node))) return false;
    if (node.type === "VariableDeclaration" && node.kind === "var" && !node.declare) {
      for (const { id } of node.declarations) names.push(...patternNames(id));
    }
    return true;
  });
  return names;
}
