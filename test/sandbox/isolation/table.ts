/** The one table of all results: 80 columns, readable without colours, the same at a terminal and in the threat model. */
import type { Attack, KindName } from "./attack.ts";
import { GROUPS } from "./attacks.ts";
import { type Result, type User, wordFor } from "./results.ts";

const KINDS: KindName[] = ["local", "virtual", "isolated"];
const WHO: Record<User, string> = { root: "as root", user: "as a plain user" };
const WIDTH = 80;

export function tableOf(attacks: readonly Attack[], results: readonly Result[]): string {
  const lines = [
    row("", "", KINDS),
    row(
      "----",
      "-".repeat(34),
      KINDS.map(() => "-".repeat(12)),
    ),
  ];
  let group = "";
  for (const attack of attacks) {
    if (attack.id[0] !== group) {
      group = attack.id[0]!;
      lines.push("", GROUPS[group]!);
    }
    lines.push(...rowsOf(attack, results));
  }
  return [...lines, "", ...notesOf(attacks, results)].join("\n");
}

/** One row; two where it depends on who runs it. */
function rowsOf({ id, title }: Attack, results: readonly Result[]): string[] {
  const users = (["root", "user"] as const).filter((user) => results.some((result) => result.user === user));
  const cells = users.map((user) => KINDS.map((kind) => wordFor(find(results, id, kind, user)?.verdict)));
  const first = cells[0] ?? KINDS.map(() => wordFor(undefined));
  if (cells.every((other) => other.join() === first.join())) return [row(id, title, first)];
  return [row(id, title, []), ...users.map((user, index) => row("", `  ${WHO[user]}`, cells[index]!))];
}

function find(results: readonly Result[], id: string, kind: KindName, user: User): Result | undefined {
  return results.find((result) => result.id === id && result.kind === kind && result.user === user);
}

function row(id: string, title: string, cells: readonly string[]): string {
  return `${id.padEnd(4)} ${title.padEnd(34)} ${cells.map((cell) => cell.padEnd(13)).join("")}`.trimEnd();
}

/** Why a cell has no result, once for each reason. */
function notesOf(attacks: readonly Attack[], results: readonly Result[]): string[] {
  const reasons = new Map<string, string[]>();
  for (const kind of KINDS) {
    for (const { id } of attacks) {
      for (const { verdict } of results.filter((result) => result.id === id && result.kind === kind)) {
        if (verdict.type === "ran") continue;
        const sign = verdict.type === "not-run" ? "not run here" : "-";
        const reason = `${sign}  ${kind}: ${verdict.reason}`;
        const ids = reasons.get(reason) ?? [];
        reasons.set(reason, ids.includes(id) ? ids : [...ids, id]);
      }
    }
  }
  const which = (ids: string[]) => (ids.length === attacks.length ? "all" : ids.join(" "));
  return [...reasons].flatMap(([reason, ids]) => wrapped(`${reason} (${which(ids)})`));
}

function wrapped(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > WIDTH)
      lines.push(last === undefined ? word : `   ${word}`);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
