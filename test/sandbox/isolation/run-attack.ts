/** Makes one attack and judges it: what came of it, whether the host is untouched, and whether that was expected. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Attack, expectationFor, type Seen } from "./attack.ts";
import { describeError, type Scene, seen } from "./scene.ts";

/** No attack may keep the host waiting for longer than this. */
const PATIENCE_MS = 60_000;

export type Verdict =
  | { type: "not-applicable"; reason: string }
  /** Something that the attack needs is missing on this machine. */
  | { type: "not-run"; reason: string }
  | { type: "ran"; outcome: Seen["outcome"]; expected: string; detail: string; isRight: boolean; durationMs: number };

export async function runAttack(attack: Attack, scene: Scene): Promise<Verdict> {
  const expected = expectationFor(attack, scene.kind.name, scene.here);
  if (typeof expected === "object") return { type: "not-applicable", reason: expected.notApplicable };
  const missing = await missingProgram(attack, scene);
  if (missing) return { type: "not-run", reason: `${missing} is missing` };

  const started = performance.now();
  const attempt = await attemptOf(attack, scene);
  const { outcome, detail } = afterLookingAtTheHost(attempt, attack, scene);
  scene.stage.restore();
  const durationMs = performance.now() - started;
  return { type: "ran", outcome, expected, detail, isRight: outcome === expected, durationMs };
}

async function attemptOf(attack: Attack, scene: Scene): Promise<Seen> {
  const patience = new AbortController();
  const tooLong = sleep(PATIENCE_MS, seen("fails", `no answer in ${PATIENCE_MS} ms`), { signal: patience.signal });
  tooLong.catch(() => {});
  try {
    return await Promise.race([attack.run(scene), tooLong]);
  } catch (error) {
    return seen("fails", describeError(error));
  } finally {
    patience.abort();
  }
}

/** Whatever an attack believes: a host that has changed was reached. */
function afterLookingAtTheHost(attempt: Seen, { isOnHost }: Attack, { stage, kind }: Scene): Seen {
  const withWorkspace = kind.holdsBack && !isOnHost;
  if (attempt.outcome === "escapes" || stage.isUntouched({ withWorkspace })) return attempt;
  return seen("escapes", `the host's files have changed; ${attempt.detail}`);
}

async function missingProgram({ needs = [] }: Attack, scene: Scene): Promise<string | undefined> {
  if (!scene.sandbox.capabilities.realProcesses) return undefined;
  for (const program of needs) if (!(await scene.hasProgram(program))) return program;
  return undefined;
}
