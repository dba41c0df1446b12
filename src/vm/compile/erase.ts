/** Takes TypeScript out of a program: what is left is JavaScript, on the same lines and columns. */
import type { Edits } from "./edits.ts";
import { eraseClass, eraseMember } from "./erase-class.ts";
import { eraseEnum } from "./erase-enum.ts";
import { editModule, isErased, isModuleNode, NO_IMPORT } from "./modules.ts";
import type { Problems } from "./problems.ts";
import type { SourceText } from "./source-text.ts";
import { isClass, isFunction, type Node, type NodeOf, type Place } from "./syntax.ts";

export interface Compilation {
  readonly source: SourceText;
  readonly edits: Edits;
  readonly problems: Problems;
  /** Of each block, the members of its enums so far. */
  readonly enums: Map<Node | undefined, Map<string, Set<string>>>;
}

/** For each node, parents first. True where what is in it is read further. */
export function erase({ node, above }: Place, compilation: Compilation): boolean {
  const { source, edits, problems } = compilation;
  const parent = above?.node;
  if (isErased(node)) {
    // A semicolon ends what a line before has left open.
    if (node.type !== "EmptyStatement") edits.blank(node.start!, node.end!, ";");
    return false;
  }
  if (node.type === "InterpreterDirective") edits.blank(node.start!, node.end!);
  if (isModuleNode(node)) return editModule(node, edits, problems);
  if (isClass(node)) eraseClass(node, compilation);
  switch (node.type) {
    case "TSEnumDeclaration":
      eraseEnum(node, above, compilation);
      return true;
    case "TSEnumMember":
    case "TSParameterProperty":
      if (node.type === "TSParameterProperty") edits.blank(node.start!, node.parameter.start!);
      return true;
    case "TSAsExpression":
    case "TSSatisfiesExpression":
      edits.blank(source.tokenAt(node.expression.end!), node.end!);
      return true;
    case "TSNonNullExpression":
      edits.blank(node.end! - 1, node.end!);
      return true;
    case "TSTypeAssertion":
      eraseAssertion(node, edits);
      return true;
    case "TSInstantiationExpression":
      return true;
    case "TSTypeAnnotation":
    case "TSTypeParameterDeclaration":
    case "TSTypeParameterInstantiation":
      eraseTypes(node, parent, compilation);
      return false;
    case "TSIndexSignature":
    case "TSDeclareMethod":
      edits.blank(node.start!, node.end!, ";");
      return false;
    case "ClassMethod":
    case "ClassPrivateMethod":
    case "ClassProperty":
    case "ClassPrivateProperty":
    case "ClassAccessorProperty":
      return eraseMember(node, compilation);
    case "Identifier":
      return eraseIdentifier(node, parent, compilation);
    case "VariableDeclarator":
      if (node.definite) {
        const mark = source.tokenAt(source.nameEnd(node.id.start!));
        edits.blank(mark, mark + 1);
      }
      return true;
    default:
      refuse(node, problems);
      keepFromComments(node, compilation);
      return !node.type.startsWith("TS");
  }
}

/** `<T>value`: in parentheses, for `<T>{}` is no block, and `return <T>` may go on in the next line. */
function eraseAssertion({ start, end, expression }: NodeOf<"TSTypeAssertion">, edits: Edits): void {
  edits.blank(start!, expression.start!, "(");
  edits.close(end!, ")");
}

function eraseTypes(
  node: NodeOf<"TSTypeAnnotation" | "TSTypeParameterDeclaration" | "TSTypeParameterInstantiation">,
  parent: Node | undefined,
  compilation: Compilation,
): void {
  compilation.edits.blank(node.start!, node.end!);
  if (parent?.type !== "ArrowFunctionExpression") return;
  if (node === parent.typeParameters) joinParameters(node, compilation);
  if (node === parent.returnType) joinArrow(parent, node, compilation);
  checkArrow(parent, compilation);
}

/** What stands before the parameters of an arrow, `return` or `async`, must stand in the same line. */
function joinParameters(types: Node, { source, edits }: Compilation): void {
  const opening = source.tokenAt(types.end!);
  if (hasLineEnd(source, types.start!, opening)) {
    edits.put(types.start!, "(");
    edits.put(opening, " ");
  }
}

/** So must the end of the parameters and the arrow. */
function joinArrow(arrow: Arrow, { end }: Node, { source, edits }: Compilation): void {
  const closing = closingParenthesis(arrow, source);
  if (!hasLineEnd(source, closing, end!)) return;
  edits.put(closing, " ");
  edits.put(end! - 1, ")");
}

/** The parser lets some pass. */
function checkArrow(arrow: Arrow, { source, problems }: Compilation): void {
  const head = arrow.returnType?.end ?? closingParenthesis(arrow, source) + 1;
  if (hasLineEnd(source, head, source.tokenAt(head))) problems.add(arrow, "No line may end before =>");
}

type Arrow = NodeOf<"ArrowFunctionExpression">;

function closingParenthesis({ start, async, typeParameters, params }: Arrow, source: SourceText): number {
  const head = typeParameters?.end ?? (async ? start! + "async".length : start!);
  const closing = source.tokenAt(params.at(-1)?.end ?? source.tokenAt(head) + 1);
  return source.text[closing] === "," ? source.tokenAt(closing + 1) : closing;
}

function hasLineEnd({ text }: SourceText, start: number, end: number): boolean {
  return text.slice(start, end).includes("\n");
}

function eraseIdentifier(
  node: NodeOf<"Identifier">,
  parent: Node | undefined,
  { source, edits }: Compilation,
): boolean {
  if (node.name === "this" && isFunction(parent) && parent.params[0] === node) {
    const next = source.tokenAt(node.end!);
    edits.blank(node.start!, source.text[next] === "," ? next + 1 : node.end!);
    return false;
  }
  if (node.optional) {
    const mark = source.tokenAt(source.nameEnd(node.start!));
    edits.blank(mark, mark + 1);
  }
  return true;
}

function refuse(node: Node, problems: Problems): void {
  if (node.type === "Decorator") problems.add(node, "Decorators cannot be used here: call the function yourself");
  if (node.type === "Import" || (node.type === "MetaProperty" && node.meta.name === "import")) {
    problems.add(node, NO_IMPORT);
  }
  if (node.type === "VariableDeclaration" && (node.kind === "using" || node.kind === "await using")) {
    problems.add(node, "`using` cannot be used here: write const, and close it in a finally block");
  }
}

/** `<!--` begins a comment in a script, but not in a module, and a program was read as a module. */
function keepFromComments(node: Node, { source, edits }: Compilation): void {
  if (node.type !== "UnaryExpression" || node.operator !== "!" || source.text[node.start! - 1] !== "<") return;
  edits.open(node.start!, " ");
}
