/** Turns an enum into an object, with every value where it was written. */
import type { Compilation } from "./erase.ts";
import { isClass, isFunction, type Node, type NodeOf, type Place, unwrap, walk } from "./syntax.ts";

type Enum = NodeOf<"TSEnumDeclaration">;
type Member = Enum["members"][number];

/** `enum E { A, B = 2 }` becomes `const E={}; E[E["A"]=0]="A"; …`. Texts have no way back to their names. */
export function eraseEnum(node: Enum, above: Place | undefined, compilation: Compilation): void {
  const { source, edits, problems } = compilation;
  const { name } = node.id;
  const ofBlock = enumsAround(above, compilation);
  const isFirst = !ofBlock.has(name);
  const names = ofBlock.get(name) ?? new Set<string>();
  ofBlock.set(name, names);
  for (const member of node.members) names.add(nameOf(member));
  const brace = source.text.indexOf("{", source.tokenAt(node.id.end!));
  edits.blank(node.start!, brace + 1);
  edits.put(node.end! - 1, " ");
  edits.open(node.start!, isFirst ? `const ${name}={};` : ";");
  node.members.forEach((member, index) => {
    const before = node.members[index - 1];
    const own = `${name}[${JSON.stringify(nameOf(member))}]`;
    const comma = source.tokenAt(member.end!);
    if (source.text[comma] === ",") edits.put(comma, " ");
    edits.blank(member.start!, member.initializer?.start ?? member.end!);
    edits.open(member.start!, `${own}=`);
    if (member.initializer) {
      qualify(member.initializer, name, names, compilation);
    } else {
      if (before?.initializer && isText(before.initializer)) {
        problems.add(member, `${nameOf(member)} needs a value, for there is none that follows a text`);
      }
      edits.open(member.start!, before ? `1+${name}[${JSON.stringify(nameOf(before))}]` : "0");
    }
    edits.close(member.end!, `;if(typeof ${own}!="string")${name}[${own}]=${JSON.stringify(nameOf(member))};`);
  });
}

/** An enum may be written in several parts, which add to one another: those of each name that a block has. */
function enumsAround(above: Place | undefined, { enums }: Compilation): Map<string, Set<string>> {
  const block = above?.node.type === "ExportNamedDeclaration" ? above.above?.node : above?.node;
  const ofBlock = enums.get(block) ?? new Map<string, Set<string>>();
  enums.set(block, ofBlock);
  return ofBlock;
}

/** Members may name each other: `High = Low * 2`. */
function qualify(initializer: Node, name: string, names: ReadonlySet<string>, { edits, problems }: Compilation): void {
  walk(initializer, ({ node, above }) => {
    if (isFunction(node) || isClass(node)) {
      problems.add(node, "A value of an enum cannot hold a function: write it before the enum");
      return false;
    }
    if (node.type.startsWith("TS") && unwrap(node) === node) return false;
    if (node.type !== "Identifier" || !names.has(node.name) || isPropertyName(node, above?.node)) return true;
    const parent = above?.node;
    const isShorthand = parent?.type === "ObjectProperty" && parent.shorthand;
    edits.open(node.start!, isShorthand ? `${node.name}:${name}.` : `${name}.`);
    return false;
  });
}

function isPropertyName(node: Node, parent: Node | undefined): boolean {
  if (parent?.type === "MemberExpression" || parent?.type === "OptionalMemberExpression") {
    return parent.property === node && !parent.computed;
  }
  return parent?.type === "ObjectProperty" && parent.key === node && !parent.computed;
}

function nameOf({ id }: Member): string {
  return id.type === "Identifier" ? id.name : id.value;
}

function isText(initializer: Node): boolean {
  const value = unwrap(initializer);
  return value.type === "StringLiteral" || value.type === "TemplateLiteral";
}
