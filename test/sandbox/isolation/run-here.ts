/** All attacks on every kind that is present, as the user who runs this; the kinds side by side. */
import type { Attack } from "./attack.ts";
import { setCanaries } from "./canaries.ts";
import { isRequired, type Kind } from "./kinds.ts";
import { Lane } from "./lane.ts";
import type { Result, User } from "./results.ts";

export interface RunOptions {
  kinds: readonly Kind[];
  probe: string | undefined;
  /** Called with each result as it comes. */
  onResult(result: Result): void;
}

export async function runHere(attacks: readonly Attack[], options: RunOptions): Promise<Result[]> {
  setCanaries();
  const user: User = process.getuid?.() === 0 ? "root" : "user";
  const results = await Promise.all(options.kinds.map((kind) => runKind(kind, user, attacks, options)));
  return results.flat();
}

async function runKind(kind: Kind, user: User, attacks: readonly Attack[], options: RunOptions): Promise<Result[]> {
  const results: Result[] = [];
  const add = (id: string, verdict: Result["verdict"]) => {
    const result: Result = { id, kind: kind.name, user, verdict };
    results.push(result);
    options.onResult(result);
  };

  const missing = await kind.missing();
  if (missing) {
    for (const { id } of attacks) add(id, isRequired(kind) ? required(missing) : { type: "not-run", reason: missing });
    return results;
  }
  const lane = await Lane.open(kind, options.probe);
  try {
    for (const attack of attacks) add(attack.id, await lane.run(attack));
  } finally {
    await lane.close();
  }
  return results;
}

function required(missing: string): Result["verdict"] {
  const detail = `HAFT_REQUIRE asks for it, and: ${missing}`;
  return { type: "ran", outcome: "fails", expected: "to run", detail, isRight: false, durationMs: 0 };
}
