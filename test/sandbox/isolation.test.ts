/** A third of the fast attacks of the isolation suite, and what the suite itself has to keep. All of it: `npm run test:sandbox`. */
import { execFileSync, spawnSync } from "node:child_process";
import { afterAll, describe, expect, test } from "vitest";
import { attacks } from "./isolation/attacks.ts";
import { setCanaries } from "./isolation/canaries.ts";
import { isRequired, type Kind, kinds } from "./isolation/kinds.ts";
import { Lane } from "./isolation/lane.ts";
import { buildProbe, probeAnswer, probeArguments } from "./isolation/probe.ts";
import type { Verdict } from "./isolation/run-attack.ts";
import { writtenTable } from "./isolation/threat-model.ts";

setCanaries();
const probe = buildProbe();
const lanes: Promise<unknown>[] = [];
const some = attacks.filter(({ isSlow }) => !isSlow).filter((_, index) => index % 3 === 0);

/** The kinds are attacked side by side; each test waits for its own verdict. */
for (const kind of kinds) {
  const missing = await kind.missing();
  if (missing && !isRequired(kind)) {
    test.skip(`${kind.name}: not run here, ${missing}`, () => {});
    continue;
  }
  const verdicts = missing ? failing(missing) : verdictsOf(kind);
  test.each(some)(`${kind.name}: $id $title`, { timeout: 120_000 }, async ({ id }) => {
    const verdict = await (await verdicts).get(id)!;
    if (verdict.type === "ran") expect(verdict).toMatchObject({ outcome: verdict.expected });
  });
}

/** Begins at once. The last one closes what the first one opened. */
async function verdictsOf(kind: Kind): Promise<Map<string, Promise<Verdict>>> {
  const lane = await Lane.open(kind, probe);
  const verdicts = new Map<string, Promise<Verdict>>();
  let last: Promise<unknown> = Promise.resolve();
  for (const attack of some) {
    const verdict = last.then(() => lane.run(attack));
    verdicts.set(attack.id, verdict);
    last = verdict.catch(() => {});
  }
  lanes.push(last.then(() => lane.close()));
  return verdicts;
}

async function failing(missing: string): Promise<never> {
  throw new Error(`HAFT_REQUIRE asks for it, and: ${missing}`);
}

afterAll(async () => {
  await Promise.all(lanes);
}, 120_000);

describe("the suite", () => {
  test("has every attack once, with a title that fits", () => {
    const ids = attacks.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(attacks.filter(({ title }) => title.length > 34)).toEqual([]);
  });

  test("has its table in the threat model", () => {
    const rows = writtenTable().split("\n");
    const absent = attacks.filter(({ id, title }) => !rows.some((row) => row.startsWith(`${id}  ${title}`)));
    expect(absent.map(({ id }) => id)).toEqual([]);
    expect(rows.filter((row) => /FAILS/.test(row))).toEqual([]);
  });

  test.runIf(probe && canUnshare())("has a probe that sees what is allowed, and refuses to run on the host", () => {
    const words = probeArguments(process.pid, "/nowhere", "nobody");
    const unshare = ["--user", "--map-root-user", "-m", "-p", "-u", "-n", "-i", "-f", "--mount-proc"];
    const inside = probeAnswer(execFileSync("unshare", [...unshare, probe!, ...words], { encoding: "utf8" }));
    expect(inside?.allowed).toEqual(
      expect.arrayContaining(["socket_unix", "unshare_user", "mount_tmpfs", "change_root"]),
    );
    expect(spawnSync(probe!, words, { encoding: "utf8" })).toMatchObject({
      status: 3,
      stdout: "not in namespaces of its own\n",
    });
  });
});

function canUnshare(): boolean {
  try {
    execFileSync("unshare", ["--user", "--map-root-user", "-m", "-p", "-u", "-f", "--mount-proc", "true"], {
      stdio: "ignore",
    });
    return true;
  } catch {
    return false;
  }
}
