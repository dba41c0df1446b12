/** Takes TypeScript out of classes: modifiers, promises of members, and properties that stand among parameters. */
import type { Compilation } from "./erase.ts";
import { type Node, type NodeOf, patternNames, unwrap } from "./syntax.ts";

type Member = NodeOf<
  "ClassMethod" | "ClassPrivateMethod" | "ClassProperty" | "ClassPrivateProperty" | "ClassAccessorProperty"
>;

const erasedWords = new Set(["public", "private", "protected", "readonly", "abstract", "override", "declare"]);
const keptWords = new Set(["static", "async", "get", "set", "accessor"]);

/** What belongs to a class as a whole. Its members come by themselves. */
export function eraseClass(node: NodeOf<"ClassDeclaration" | "ClassExpression">, compilation: Compilation): void {
  const { source, edits } = compilation;
  fillConstructor(node, compilation);
  if ("abstract" in node && node.abstract) edits.blank(node.start!, node.start! + "abstract".length);
  const last = node.implements?.at(-1);
  if (!last) return;
  const before = [node.superTypeParameters, node.superClass, node.typeParameters, node.id].find((part) => part)?.end;
  // `class implements I {}` has no name: its own word is all that comes before.
  edits.blank(source.tokenAt(before ?? node.start! + "class".length), last.end!);
}

/** `constructor(private name: string)` is a property, and an assignment to it. */
function fillConstructor(
  { body, superClass }: NodeOf<"ClassDeclaration" | "ClassExpression">,
  { edits, problems }: Compilation,
): void {
  const builder = body.body.find((member) => member.type === "ClassMethod" && member.kind === "constructor");
  if (builder?.type !== "ClassMethod") return;
  const properties = builder.params.filter((parameter) => parameter.type === "TSParameterProperty");
  if (properties.length === 0) return;
  const names = properties.flatMap((property) => patternNames(property));
  const assignments = names.map((name) => `this.${name}=${name};`).join("");
  const { directives, body: statements, start } = builder.body;
  const superCall = statements.find(isSuperCall);
  if (superClass && !superCall) problems.add(builder, "Write super() as a statement of its own");
  edits.open(body.start! + 1, names.map((name) => `${name};`).join(""));
  edits.close(superCall?.end ?? directives.at(-1)?.end ?? start! + 1, `;${assignments}`);
}

function isSuperCall(statement: Node): boolean {
  const call = statement.type === "ExpressionStatement" ? unwrap(statement.expression) : statement;
  return call.type === "CallExpression" && call.callee.type === "Super";
}

export function eraseMember(node: Member, { source, edits, problems }: Compilation): boolean {
  if (node.type === "ClassAccessorProperty") {
    problems.add(node, "`accessor` cannot be used here: write a property, or get and set");
    return false;
  }
  if (("abstract" in node && node.abstract) || ("declare" in node && node.declare)) {
    edits.blank(node.start!, node.end!, ";");
    return false;
  }
  for (let at = node.start!; at < node.key.start!; ) {
    const end = source.nameEnd(at);
    const word = source.text.slice(at, end);
    // A semicolon, so that a name in brackets or a star does not go on with the member before.
    if (erasedWords.has(word)) edits.blank(at, end, at === node.start! ? ";" : " ");
    else if (!keptWords.has(word)) break;
    at = source.tokenAt(end);
  }
  if (("optional" in node && node.optional) || ("definite" in node && node.definite)) {
    let mark = source.tokenAt(node.key.end!);
    if ("computed" in node && node.computed) mark = source.tokenAt(mark + 1);
    edits.blank(mark, mark + 1);
  }
  return true;
}
