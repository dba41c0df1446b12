/** The calls of tools that a program makes: where they stand, and whether anybody waits for them. */
import type { Problems } from "./problems.ts";
import { Scopes } from "./scopes.ts";
import type { SourceText } from "./source-text.ts";
import { type Node, type NodeOf, type Place, unwrap } from "./syntax.ts";

type Call = NodeOf<"CallExpression" | "OptionalCallExpression">;

interface CallSite {
  readonly node: Call;
  readonly path: string;
  isDetached: boolean;
}

export class Calls {
  readonly #functions: ReadonlySet<string>;
  readonly #scopes = new Scopes();
  readonly #sites = new Map<Node, CallSite>();
  /** Statements whose value goes nowhere, with where they stand. */
  readonly #dropped: { value: Node; place: Place }[] = [];

  constructor(functions: readonly string[]) {
    this.#functions = new Set(functions);
  }

  /** For each node, parents first. */
  see(place: Place): void {
    const { node } = place;
    if (node.type === "CallExpression" || node.type === "OptionalCallExpression") {
      const path = this.#functions.size > 0 ? pathOf(node.callee) : undefined;
      if (path === undefined || !this.#functions.has(path.join("."))) return;
      if (this.#scopes.isOwn(path[0]!, place)) return;
      this.#sites.set(node, { node, path: path.join("."), isDetached: false });
    }
    if (node.type === "ExpressionStatement") this.#dropped.push({ value: node.expression, place });
    if (node.type === "UnaryExpression" && node.operator === "void") {
      this.#dropped.push({ value: node, place });
    }
  }

  /** When all was seen. `returned` is the value of the program, which is waited for. */
  check(returned: Node | undefined, problems: Problems): void {
    for (const { value } of this.#dropped) {
      const isVoid = value.type === "UnaryExpression" && value.operator === "void";
      for (const call of endsOf(isVoid ? value.argument : value, returned)) {
        const site = this.#sites.get(call);
        if (!site) continue;
        if (isVoid) site.isDetached = true;
        else if (!site.isDetached) problems.add(call, `${site.path}(…) was not awaited: ${advice}`);
      }
    }
  }

  /** Whether the innermost call around a place is written so that nobody waits for it. */
  detachedAt(source: SourceText): (line: number, column: number, path?: string) => boolean {
    const sites = [...this.#sites.values()];
    if (!sites.some(({ isDetached }) => isDetached)) return () => false;
    sites.sort((one, other) => one.node.start! - other.node.start! || other.node.end! - one.node.end!);
    const around = outerSites(sites);
    return (line, column, path) => {
      const offset = source.offsetOf({ line, column });
      let site = lastBefore(sites, offset);
      while (site && (site.node.end! <= offset || (path !== undefined && site.path !== path))) site = around.get(site);
      return site?.isDetached ?? false;
    };
  }
}

/** Each call's innermost call around it; they come in the order of the source. */
function outerSites(sites: readonly CallSite[]): Map<CallSite, CallSite> {
  const outer = new Map<CallSite, CallSite>();
  let current: CallSite | undefined;
  for (const site of sites) {
    while (current && current.node.end! <= site.node.start!) current = outer.get(current);
    if (current) outer.set(site, current);
    current = site;
  }
  return outer;
}

function lastBefore(sites: readonly CallSite[], offset: number): CallSite | undefined {
  let low = 0;
  let high = sites.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sites[middle]!.node.start! <= offset) low = middle + 1;
    else high = middle;
  }
  return sites[low - 1];
}

const advice = "write await, or void if nobody is to wait for it";

/** `Orders.cancel` as its parts, also where it is written `Orders?.["cancel"]`. */
function pathOf(callee: Node): string[] | undefined {
  const parts: string[] = [];
  for (let node = unwrap(callee); ; node = unwrap(node.object)) {
    if (node.type === "Identifier") return [node.name, ...parts];
    if (node.type !== "MemberExpression" && node.type !== "OptionalMemberExpression") return undefined;
    const { property } = node;
    if (property.type === "StringLiteral") parts.unshift(property.value);
    else if (property.type === "Identifier" && !node.computed) parts.unshift(property.name);
    else return undefined;
  }
}

/** The calls whose promise is the value of an expression, or is dropped on the way to it. */
function endsOf(expression: Node, returned: Node | undefined): Node[] {
  const ends: Node[] = [];
  const waiting = [expression];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (node === returned) {
      const value = unwrap(node);
      if (value.type === "SequenceExpression") waiting.push(...value.expressions.slice(0, -1));
      continue;
    }
    const value = unwrap(node);
    switch (value.type) {
      case "SequenceExpression":
        waiting.push(...value.expressions);
        break;
      case "LogicalExpression":
        waiting.push(value.right);
        break;
      case "ConditionalExpression":
        waiting.push(value.consequent, value.alternate);
        break;
      case "CallExpression":
      case "OptionalCallExpression":
        ends.push(value);
        waiting.push(...chained(value.callee));
        break;
    }
  }
  return ends;
}

/** What `….then(…)` waits for. */
function chained(callee: Node): Node[] {
  const member = unwrap(callee);
  if (member.type !== "MemberExpression" && member.type !== "OptionalMemberExpression") return [];
  const isChain = member.property.type === "Identifier" && ["then", "catch", "finally"].includes(member.property.name);
  return isChain ? [member.object] : [];
}
