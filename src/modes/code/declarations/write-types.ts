/** Types as text: what is used again and long gets a name of its own, so that the text grows with what it says. */
import { propertyName } from "./literal.ts";
import { TypeNames } from "./type-names.ts";
import { type Field, type ObjectNode, partsOf, type TypeNode } from "./type-nodes.ts";

/** The longest object that is written on one line. */
const MAX_LINE = 140;

/** Shorter types read better where they are used: `string | null`. */
const MIN_NAMED = 30;

export class TypeWriter {
  /** `type Order = { … }`, by name, parts before what is made of them. */
  readonly named = new Map<string, string>();
  readonly #names = new Map<TypeNode, string>();
  readonly #texts = new Map<TypeNode, string>();
  readonly #holdsRecursion = new Set<TypeNode>();

  /** @param roots every place where a type is used, so a type may stand there several times */
  constructor(roots: readonly TypeNode[], takenNames: Iterable<string>) {
    const uses = countUses(roots);
    const nodes = [...uses.keys()].sort((a, b) => a.id - b.id);
    const names = new TypeNames(takenNames);
    const recursive = nodes.filter(({ kind }) => kind === "recursive");
    const endless = findEndless(recursive);
    for (const node of recursive) this.#names.set(node, names.unique(node.suggestion?.name ?? ""));
    for (const node of nodes) {
      const isRecursive = node.kind === "recursive";
      if (isRecursive || partsOf(node).some((part) => this.#holdsRecursion.has(part))) this.#holdsRecursion.add(node);
      if (isRecursive) continue;
      const text = this.#write(node);
      this.#texts.set(node, text);
      const wanted = node.suggestion?.name || "Value";
      if (!isWorthAName(text, uses.get(node)!, wanted)) continue;
      const name = names.unique(wanted);
      this.#names.set(node, name);
      this.named.set(name, `type ${name} = ${text}`);
    }
    for (const node of recursive) {
      const body = endless.has(node) ? undefined : partsOf(node)[0];
      const name = this.#names.get(node)!;
      this.named.set(name, `type ${name} = ${body ? this.text(body) : "unknown"}`);
    }
  }

  /** As it stands where it is used: its name, or all of it. */
  text(node: TypeNode): string {
    return this.#names.get(node) ?? this.#texts.get(node)!;
  }

  /** The names of all that stands in these types, in the order of their declarations. */
  namesIn(roots: readonly TypeNode[]): string[] {
    const found = new Set([...countUses(roots).keys()].map((node) => this.#names.get(node)));
    return [...this.named.keys()].filter((name) => found.has(name));
  }

  nodeNamed(name: string): TypeNode | undefined {
    return [...this.#names].find(([, given]) => given === name)?.[0];
  }

  #write(node: TypeNode): string {
    switch (node.kind) {
      case "plain":
        return node.text;
      case "array":
        return `${this.#inParentheses(node.item)}[]`;
      case "tuple": {
        const items = node.items.map((item, index) => {
          return index < node.required ? this.text(item) : `${this.#inParentheses(item)}?`;
        });
        if (node.rest) items.push(`...${this.#inParentheses(node.rest)}[]`);
        return `[${items.join(", ")}]`;
      }
      case "union":
        return node.members.map((member) => this.text(member)).join(" | ");
      case "intersection":
        return node.members.map((member) => this.#inParentheses(member)).join(" & ");
      case "object":
        return this.#object(node);
      case "recursive":
        return this.#names.get(node)!;
    }
  }

  #inParentheses(node: TypeNode): string {
    const isOpen = (node.kind === "union" || node.kind === "intersection") && !this.#names.has(node);
    return isOpen ? `(${this.text(node)})` : this.text(node);
  }

  #object({ fields, others, othersNote }: ObjectNode): string {
    const members = fields.map((field) => ({ text: this.#field(field), note: field.note }));
    if (others) {
      const type = this.text(others);
      // Written as a Record, a type that holds itself would be refused.
      if (fields.length === 0 && !othersNote && !this.#holdsRecursion.has(others)) return `Record<string, ${type}>`;
      members.push({ text: `[key: string]: ${type}`, note: othersNote });
    }
    return writeMembers(members);
  }

  #field({ name, isOptional, type }: Field): string {
    return `${propertyName(name)}${isOptional ? "?" : ""}: ${this.text(type)}`;
  }
}

/** On one line where nothing is noted and it is short; else a line for each. */
export function writeMembers(members: readonly { text: string; note: string }[]): string {
  if (members.length === 0) return "{}";
  const isPlain = members.every(({ text, note }) => note === "" && !text.includes("\n"));
  const line = isPlain ? `{ ${members.map(({ text }) => text).join("; ")} }` : "";
  if (isPlain && line.length <= MAX_LINE) return line;
  const lines = members.map(({ text, note }) => indent(note ? `${text} // ${note}` : text));
  return `{\n${lines.join("\n")}\n}`;
}

export function indent(text: string): string {
  return `  ${text.replaceAll("\n", "\n  ")}`;
}

function isWorthAName(text: string, uses: number, name: string): boolean {
  if (text.length < MIN_NAMED) return false;
  const declaration = `type ${name} = ${text}\n`.length;
  return uses > 1 && uses * text.length > declaration + uses * name.length;
}

/** How often a type stands in another, or at a root; what is in a repeated type counts once. */
function countUses(roots: readonly TypeNode[]): Map<TypeNode, number> {
  const uses = new Map<TypeNode, number>();
  const waiting = [...roots];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    const before = uses.get(node) ?? 0;
    uses.set(node, before + 1);
    if (before === 0) waiting.push(...partsOf(node));
  }
  return uses;
}

/** Types that are themselves or something else, with nothing in between: no value ends them, and TypeScript refuses them. */
function findEndless(recursive: readonly TypeNode[]): Set<TypeNode> {
  const endless = new Set<TypeNode>();
  const done = new Set<TypeNode>();
  const above = new Set<TypeNode>();
  const visit = (node: TypeNode): void => {
    if (done.has(node) || endless.has(node)) return;
    if (node.kind === "recursive") {
      if (above.has(node)) {
        endless.add(node);
        return;
      }
      above.add(node);
    }
    if (["union", "intersection", "recursive"].includes(node.kind)) partsOf(node).forEach(visit);
    above.delete(node);
    done.add(node);
  };
  recursive.forEach(visit);
  return endless;
}
