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
      eraseEnum(node, parent, compilation);
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
  { source, edits }: Compilation,
): void {
  const start = node.start!;
  const end = node.end!;
  edits.blank(start, end);
  if (parent?.type !== "ArrowFunctionExpression") return;
  // No line may end before the parameters of an arrow, nor between them and the arrow.
  if (node === parent.typeParameters) {
    const parenthesis = source.tokenAt(end);
    if (!source.text.slice(start, parenthesis).includes("\n")) return;
    edits.put(start, "(");
    edits.put(parenthesis, " ");
  } else if (node === parent.returnType && source.text.slice(start, end).includes("\n")) {
    const last = parent.params.at(-1);
    const word = parent.async ? parent.start! + "async".length : parent.start!;
    let parenthesis = source.tokenAt(last?.end ?? source.tokenAt(parent.typeParameters?.end ?? word) + 1);
    if (source.text[parenthesis] === ",") parenthesis = source.tokenAt(parenthesis + 1);
    edits.put(parenthesis, " ");
    edits.put(end - 1, ")");
  }
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
