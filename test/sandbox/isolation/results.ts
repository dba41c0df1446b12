/** What a whole run found: a verdict for each attack, kind and user. */
import type { KindName } from "./attack.ts";
import type { Verdict } from "./run-attack.ts";

export type User = "root" | "user";

export interface Result {
  id: string;
  kind: KindName;
  user: User;
  verdict: Verdict;
}

/** As words for the table. An escape is the one that must be seen. */
export function wordFor(verdict: Verdict | undefined): string {
  if (verdict === undefined || verdict.type === "not-run") return "not run here";
  if (verdict.type === "not-applicable") return "-";
  if (verdict.outcome === "escapes") return "ESCAPES";
  return verdict.outcome === "fails" ? "FAILS" : verdict.outcome;
}

export function isWrong({ verdict }: Result): boolean {
  return verdict.type === "ran" && !verdict.isRight;
}
