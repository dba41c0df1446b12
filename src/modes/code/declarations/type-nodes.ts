/** TypeScript types as nodes of a graph in which equal types are one node: what is said twice can get a name. */

export type TypeNode = PlainNode | ArrayNode | TupleNode | MembersNode | ObjectNode | RecursiveNode;

interface Node {
  /** In the order of making: parts come before what is made of them. */
  readonly id: number;
  /** What it may be called. */
  suggestion?: Suggestion;
}

/** A name, and how much it tells: a title more than a property's name, and that more than a function's. */
export interface Suggestion {
  name: string;
  rank: 1 | 2 | 3;
}

/** `string`, `"open"`, `unknown` */
export interface PlainNode extends Node {
  kind: "plain";
  text: string;
}

export interface ArrayNode extends Node {
  kind: "array";
  item: TypeNode;
}

export interface TupleNode extends Node {
  kind: "tuple";
  items: readonly TypeNode[];
  /** How many items must be there. */
  required: number;
  rest: TypeNode | undefined;
}

export interface MembersNode extends Node {
  kind: "union" | "intersection";
  members: readonly TypeNode[];
}

export interface ObjectNode extends Node {
  kind: "object";
  fields: readonly Field[];
  /** The type of all other properties. */
  others: TypeNode | undefined;
  othersNote: string;
}

export interface Field {
  name: string;
  isOptional: boolean;
  type: TypeNode;
  note: string;
}

/** A type that holds itself: always called by name. */
export interface RecursiveNode extends Node {
  kind: "recursive";
  /** Set once its parts are known. */
  body: TypeNode | undefined;
}

type Shape<N> = N extends Node ? Omit<N, "id" | "suggestion"> : never;

export class TypePool {
  readonly #nodes = new Map<string, TypeNode>();
  readonly unknown = this.plain("unknown");
  readonly never = this.plain("never");
  readonly null = this.plain("null");

  plain(text: string): TypeNode {
    return this.#intern(text, { kind: "plain", text });
  }

  array(item: TypeNode): TypeNode {
    return this.#intern(`${item.id}[]`, { kind: "array", item });
  }

  tuple(items: readonly TypeNode[], required: number, rest: TypeNode | undefined): TypeNode {
    return this.#intern(`[${ids(items)}|${required}|${rest?.id}]`, { kind: "tuple", items, required, rest });
  }

  /** Without repetitions, `null` last. */
  union(members: readonly TypeNode[]): TypeNode {
    const flat = new Set(members.flatMap((member) => (member.kind === "union" ? member.members : [member])));
    flat.delete(this.never);
    if (flat.has(this.unknown)) return this.unknown;
    if (flat.delete(this.null)) flat.add(this.null);
    return this.#members("union", [...flat], this.never);
  }

  intersection(members: readonly TypeNode[]): TypeNode {
    const flat = new Set(members.flatMap((member) => (member.kind === "intersection" ? member.members : [member])));
    flat.delete(this.unknown);
    if (flat.has(this.never)) return this.never;
    for (const member of [...flat]) {
      if ([...flat].some((other) => other !== member && saysAll(other, member))) flat.delete(member);
    }
    return this.#members("intersection", [...flat], this.unknown);
  }

  object(fields: readonly Field[], others?: TypeNode, othersNote = ""): TypeNode {
    const parts = fields.map((field) => [field.name, field.isOptional, field.type.id, field.note]);
    const key = JSON.stringify([parts, others?.id, othersNote]);
    return this.#intern(key, { kind: "object", fields, others, othersNote });
  }

  /** Equal keys give one node. */
  recursive(key: string): RecursiveNode {
    return this.#intern(`recursive ${key}`, { kind: "recursive", body: undefined }) as RecursiveNode;
  }

  #members(kind: "union" | "intersection", members: readonly TypeNode[], none: TypeNode): TypeNode {
    if (members.length < 2) return members[0] ?? none;
    return this.#intern(`${kind} ${ids(members)}`, { kind, members });
  }

  #intern(key: string, shape: Shape<TypeNode>): TypeNode {
    const known = this.#nodes.get(key);
    if (known) return known;
    const node = { id: this.#nodes.size, ...shape } as TypeNode;
    this.#nodes.set(key, node);
    return node;
  }
}

export function suggest(node: TypeNode, suggestion: Suggestion): void {
  if (suggestion.name && suggestion.rank > (node.suggestion?.rank ?? 0)) node.suggestion = suggestion;
}

/** What a node is made of, in the order in which it stands in the text. */
export function partsOf(node: TypeNode): readonly TypeNode[] {
  switch (node.kind) {
    case "plain":
      return [];
    case "array":
      return [node.item];
    case "tuple":
      return node.rest ? [...node.items, node.rest] : node.items;
    case "union":
    case "intersection":
      return node.members;
    case "object": {
      const types = node.fields.map(({ type }) => type);
      return node.others ? [...types, node.others] : types;
    }
    case "recursive":
      return node.body ? [node.body] : [];
  }
}

/** `{ a: string }` says all that `{}` says, and `"a" | "b"` all that `string` says. */
function saysAll(node: TypeNode, wide: TypeNode): boolean {
  if (wide.kind === "object") return node.kind === "object" && wide.fields.length === 0 && !wide.others;
  return isLiteralOf(node, wide);
}

function isLiteralOf(node: TypeNode, wide: TypeNode): boolean {
  if (wide.kind !== "plain") return false;
  if (node.kind === "union") return node.members.every((member) => isLiteralOf(member, wide));
  if (node.kind !== "plain") return false;
  if (wide.text === "string") return node.text.startsWith('"');
  return wide.text === "number" && /^-?\d/.test(node.text);
}

function ids(nodes: readonly TypeNode[]): string {
  return nodes.map(({ id }) => id).join(" ");
}
