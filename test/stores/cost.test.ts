import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { fileStore, sqliteStore } from "../../src/stores/index.ts";
import { isInNode } from "../../src/stores/sqlite/driver.ts";
import { asks, execute, scriptedModel, tool } from "../engine/support.ts";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "haft-cost-"));
  folders.push(made);
  return made;
}

/** A step is one call of a tool. The numbers have as many digits in a short run as in a long one. */
function run(steps: number) {
  const echo = tool("echo", ({ n }) => `number ${n}`);
  const script = Array.from({ length: steps }, (_, n) => asks(["echo", { n: 100_000 + n }]));
  return {
    model: scriptedModel([...script, "done"]),
    tools: [echo],
    prompt: "go",
    iterations: steps + 1,
    session: "s",
  };
}

interface Cost {
  statements: number;
  commits: number;
  bytes: number;
}

/** Counts what libsql is asked for, on every connection. */
function countingDriver(): { take(): Cost; stop(): void } {
  const Database = createRequire(import.meta.url)("libsql");
  const statement = Object.getPrototypeOf(new Database(":memory:").prepare("SELECT 1"));
  const originals = { prepare: Database.prototype.prepare, run: statement.run, get: statement.get, all: statement.all };
  const cost: Cost = { statements: 0, commits: 0, bytes: 0 };
  const sqlOf = new WeakMap<object, string>();
  const prepare = function (this: object, sql: string) {
    const prepared = originals.prepare.call(this, sql);
    sqlOf.set(prepared, sql);
    return prepared;
  };
  const counted = (original: (...values: unknown[]) => unknown) =>
    function (this: object, ...values: unknown[]) {
      cost.statements++;
      if (sqlOf.get(this) === "COMMIT") cost.commits++;
      for (const value of values) if (typeof value === "string") cost.bytes += value.length;
      return original.apply(this, values);
    };
  Database.prototype.prepare = prepare;
  for (const name of ["run", "get"] as const) statement[name] = counted(originals[name]);
  return {
    take: () => {
      const taken = { ...cost };
      Object.assign(cost, { statements: 0, commits: 0, bytes: 0 });
      return taken;
    },
    stop: () => {
      Database.prototype.prepare = originals.prepare;
      Object.assign(statement, { run: originals.run, get: originals.get });
    },
  };
}

const perStep = (short: Cost, long: Cost, steps: number): Cost => ({
  statements: (long.statements - short.statements) / steps,
  commits: (long.commits - short.commits) / steps,
  bytes: (long.bytes - short.bytes) / steps,
});

describe("the log of a step costs the same however long the run is", () => {
  test.skipIf(isInNode(process.versions.node)).each(["strict", "fast"] as const)(
    "SQLite, %s: statements and bytes (skipped where the driver is Node's own)",
    async (durability) => {
      const counter = countingDriver();
      const costs: Cost[] = [];
      try {
        for (const steps of [1, 10, 100, 1_000]) {
          const store = sqliteStore(join(folder(), "haft.db"), { durability });
          await store.read("s");
          counter.take();
          expect((await execute({ ...run(steps), store })).output).toBe("done");
          costs.push(counter.take());
          await store.close();
        }
      } finally {
        counter.stop();
      }
      const [one, ten, hundred, thousand] = costs as [Cost, Cost, Cost, Cost];
      const early = perStep(one, ten, 9);
      for (const [from, to, steps] of [
        [ten, hundred, 90],
        [hundred, thousand, 900],
      ] as const) {
        const step = perStep(from, to, steps);
        for (const what of ["statements", "commits"] as const) {
          expect(step[what]).toBeGreaterThan(early[what] * 0.8); // what nobody waits for joins this commit or the next
          expect(step[what]).toBeLessThan(early[what] * 1.2);
        }
        expect(step.bytes).toBeGreaterThan(early.bytes * 0.95);
        expect(step.bytes).toBeLessThan(early.bytes * 1.05);
      }
      if (durability === "strict") expect(early.commits).toBeLessThanOrEqual(3);
      expect(early.statements).toBeLessThan(50);
    },
    120_000,
  );

  test("files: bytes", async () => {
    const sizes: number[] = [];
    for (const steps of [10, 110, 310]) {
      const place = folder();
      expect((await execute({ ...run(steps), store: fileStore(place) })).output).toBe("done");
      sizes.push(readFileSync(join(place, "s.jsonl")).length);
    }
    const [early, late] = [(sizes[1]! - sizes[0]!) / 100, (sizes[2]! - sizes[1]!) / 200];
    expect(late).toBeGreaterThan(early * 0.95);
    expect(late).toBeLessThan(early * 1.05);
  }, 120_000);
});

const hasStrace = spawnSync("strace", ["-c", "true"]).status === 0;

/** Syncs of the disk in a process of its own, which is watched from outside. */
function syncsOf(body: string): number {
  const place = folder();
  const main = join(place, "main.mjs");
  const at = (path: string) => JSON.stringify(new URL(`../../dist/${path}`, import.meta.url).pathname);
  writeFileSync(
    main,
    `import { execute, Tool } from ${at("index.js")};
     import { sqliteStore } from ${at("stores/index.js")};
     import { scriptedModel } from ${at("testing/index.js")};
     import { entry } from ${at("testing/store-contract/case.js")};
     const path = ${JSON.stringify(join(place, "haft.db"))};
     ${body}`,
  );
  const counts = join(place, "counts");
  const ran = spawnSync("strace", ["-f", "-c", "-e", "trace=fsync,fdatasync", "-o", counts, process.execPath, main], {
    encoding: "utf8",
  });
  expect(ran.stderr).toBe("");
  const lines = readFileSync(counts, "utf8")
    .split("\n")
    .filter((line) => /\bf(?:data)?sync$/.test(line));
  return lines.reduce((sum, line) => sum + Number(line.trim().split(/\s+/)[3]), 0);
}

describe.skipIf(!hasStrace)("syncs of the disk (skipped where there is no strace)", () => {
  const appends = (count: number, durability: string) => `
    const store = sqliteStore(path, { durability: "${durability}" });
    for (let seq = 0; seq < ${count}; seq++) await store.append("s", [entry(seq)], { epoch: 0 });`;

  test("strict: one for each commit; fast: none", () => {
    expect(syncsOf(appends(60, "strict")) - syncsOf(appends(10, "strict"))).toBe(50);
    expect(syncsOf(appends(60, "fast")) - syncsOf(appends(10, "fast"))).toBe(0);
  }, 60_000);

  test("strict: one for all sessions of a turn", () => {
    const together = `
      const store = sqliteStore(path);
      const sessions = Array.from({ length: 20 }, (_, number) => "s" + number);
      for (let seq = 0; seq < 10; seq++)
        await Promise.all(sessions.map((session) => store.append(session, [entry(seq)], { epoch: 0 })));`;
    expect(syncsOf(together) - syncsOf(appends(10, "strict"))).toBe(0);
  }, 60_000);

  test("strict: three at most for a step of one call", () => {
    const steps = (count: number) => `
      const echo = new Tool({ name: "echo", handler: () => "said" });
      const calls = Array.from({ length: ${count} }, () => ({ toolCalls: [{ name: "echo" }] }));
      const model = scriptedModel([...calls, "done"]);
      await execute({ model, tools: [echo], prompt: "go", iterations: 100, store: sqliteStore(path), session: "s" });`;
    const perStep = (syncsOf(steps(50)) - syncsOf(steps(10))) / 40;
    expect(perStep).toBeGreaterThanOrEqual(1);
    expect(perStep).toBeLessThanOrEqual(3);
  }, 60_000);
});
