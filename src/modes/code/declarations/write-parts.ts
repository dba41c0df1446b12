/** Functions, objects and exits as TypeScript declarations, dotted names in namespaces. */
import { keywords } from "../../../core/names.ts";
import { docBlock, isIdentifier, literal, propertyName } from "./literal.ts";
import type { ExitPart, FunctionPart, ObjectPart, Parameter, Parts, PropertyPart } from "./read-parts.ts";
import type { TypeNode } from "./type-nodes.ts";
import { indent, type TypeWriter, writeMembers } from "./write-types.ts";

/** One declaration a line, without the types that they name. */
export function writeParts({ functions, objects, exits }: Parts, types: TypeWriter): string[] {
  const root = scope("");
  for (const object of objects) Object.assign(below(root, object.name), { object, isObject: true });
  for (const one of functions) {
    const path = one.name.split(".");
    path.reduce(below, root).own = one;
    if (one.isOfObject) root.inner.get(path[0]!)!.isObject = true;
  }
  const declared = [...root.inner.values()].flatMap((top) => writeTop(top, types));
  if (exits.length === 0) return declared;
  return [...declared, "type Exit = { exit: string }", ...exits.map((exit) => writeExit(exit, types))];
}

/** A name with all that starts with it and a dot. */
interface Scope {
  name: string;
  own: FunctionPart | undefined;
  object: ObjectPart | undefined;
  isObject: boolean;
  inner: Map<string, Scope>;
}

function scope(name: string): Scope {
  return { name, own: undefined, object: undefined, isObject: false, inner: new Map() };
}

function below({ inner }: Scope, name: string): Scope {
  const known = inner.get(name) ?? scope(name);
  inner.set(name, known);
  return known;
}

function writeTop(top: Scope, types: TypeWriter): string[] {
  const doc = docBlock(top.object?.description);
  if (top.isObject || isAwkward(top)) return [`${doc}declare const ${top.name}: ${writeObject(top, types)}`];
  const own = top.own ? [writeFunction(top.own, `declare function ${top.name}`, types)] : [];
  return top.inner.size > 0 ? [...own, `declare ${writeNamespace(top, types)}`] : own;
}

function writeNamespace({ name, inner }: Scope, types: TypeWriter): string {
  const members = [...inner.values()].flatMap((member) => {
    const own = member.own ? [writeFunction(member.own, `function ${member.name}`, types)] : [];
    return member.inner.size > 0 ? [...own, writeNamespace(member, types)] : own;
  });
  return `namespace ${name} {\n${indent(members.join("\n"))}\n}`;
}

function writeObject({ own, object, inner }: Scope, types: TypeWriter): string {
  const call = own ? [{ text: writeFunction(own, "", types), note: "" }] : [];
  const properties = (object?.properties ?? []).map((property) => writeProperty(property, types));
  const members = [...inner.values()].map((member) => {
    const name = member.name === "new" ? '"new"' : propertyName(member.name); // bare, it would construct
    const isFunction = member.own && member.inner.size === 0;
    const text = isFunction ? writeFunction(member.own!, name, types) : `${name}: ${writeObject(member, types)}`;
    return { text, note: "" };
  });
  return writeMembers([...call, ...properties, ...members]);
}

function writeProperty({ name, type, note, isWritable }: PropertyPart, types: TypeWriter) {
  return { text: `${isWritable ? "" : "readonly "}${propertyName(name)}: ${textOf(type, types)}`, note };
}

function writeFunction({ description, input, output }: FunctionPart, head: string, types: TypeWriter): string {
  return `${docBlock(description)}${head}(${writeParameter("input", input, types)}): Promise<${textOf(output, types)}>`;
}

function writeExit({ name, description, value }: ExitPart, types: TypeWriter): string {
  const parameters = `name: ${literal(name)}, ${writeParameter("value", value, types)}`;
  return `${docBlock(description)}declare function exit(${parameters}): Exit`;
}

function writeParameter(name: string, { type, isOptional }: Parameter, types: TypeWriter): string {
  return `${name}${isOptional ? "?" : ""}: ${textOf(type, types)}`;
}

/** What nobody described may be anything; a program that uses it is not wrong. */
function textOf(type: TypeNode | undefined, types: TypeWriter): string {
  return type ? types.text(type) : "any";
}

/** A namespace cannot hold a function that is called like a word of the language; an object can. */
function isAwkward({ inner }: Scope): boolean {
  return [...inner.values()].some(
    (member) => keywords.has(member.name) || !isIdentifier(member.name) || isAwkward(member),
  );
}
