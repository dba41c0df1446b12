import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type Entry, LOG_VERSION } from "../../src/core/log.ts";
import * as haft from "../../src/index.ts";
import { fileStore, sqliteStore } from "../../src/stores/index.ts";
import { type Script, scriptedModel } from "../../src/testing/index.ts";
import { scenario } from "./corpus/scenarios.ts";

const corpus = join(import.meta.dirname, "corpus", "v1");
const names = readdirSync(corpus).map((file) => file.replace(/\.jsonl$/, ""));
const scenarioOf = (name: string) => name.slice(name.indexOf("-") + 1);
const linesOf = (name: string) =>
  readFileSync(join(corpus, `${name}.jsonl`), "utf8")
    .trimEnd()
    .split("\n");
const rawEntries = (name: string): { v: number }[] => linesOf(name).map((line) => JSON.parse(line));

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A folder as the old version left it. */
function left(name: string) {
  const folder = mkdtempSync(join(tmpdir(), "haft-corpus-"));
  folders.push(folder);
  copyFileSync(join(corpus, `${name}.jsonl`), join(folder, "s.jsonl"));
  return fileStore(folder);
}

/** What was made since, and what the model was sent. */
async function goOn(name: string, options: Partial<haft.ExecuteOptions>, script: Script) {
  const calls: string[] = [];
  const model = scriptedModel(script);
  const { options: own } = scenario(scenarioOf(name), haft, calls, () => calls.push("died"));
  const result = await haft.execute({ ...own, ...options, model } as haft.ExecuteOptions);
  return { calls, result, prompts: model.requests.map(({ prompt }) => JSON.stringify(prompt)) };
}

async function decided(name: string, decision: haft.Decision, script: Script = ["the end"]) {
  const store = left(name);
  const stopped = await goOn(name, { store, session: "s" }, []);
  expect(stopped.calls).toEqual([]);
  expect(stopped.result.status).toBe("interrupted");
  const { snapshot, pending } = stopped.result as Extract<haft.ExecuteResult, { status: "interrupted" }>;
  expect(pending).toHaveLength(1);
  const log = snapshot.decide(pending[0]!.callId, decision);
  const ended = await goOn(name, { store, session: "s", log }, script);
  return { ...ended, store };
}

test("the corpus has every kind of run, of every version", () => {
  expect(new Set(names.map(scenarioOf))).toEqual(
    new Set(["finished", "approval", "in-doubt", "assigns", "objects", "program"]),
  );
  expect(new Set(names.map((name) => name.split("-")[0])).size).toBe(3);
});

describe.each(names)("%s", (name) => {
  test("was written in format 1, and is read in this one with nothing lost", async () => {
    const raw = rawEntries(name);
    expect(new Set(raw.map(({ v }) => v))).toEqual(new Set([1]));
    const entries = await left(name).read("s");
    expect(entries).toEqual(raw.map((entry) => ({ ...entry, v: LOG_VERSION })));
  });

  test("is read in the same way from a database", async () => {
    const path = join(mkdtempSync(join(tmpdir(), "haft-corpus-")), "haft.db");
    folders.push(join(path, ".."));
    const store = sqliteStore(path);
    await store.append("s", rawEntries(name) as unknown as Entry[], { epoch: 0 });
    expect(await store.read("s")).toEqual(await left(name).read("s"));
    await store.close();
  });

  test("given as a log, it is replayed without a call and without the model", async () => {
    const log = rawEntries(name) as unknown as Entry[];
    const { calls, result, prompts } = await goOn(name, { log }, []);
    expect([calls, prompts]).toEqual([[], []]);
    expect(result.status).toBe(scenarioOf(name) === "finished" ? "success" : "interrupted");
  });
});

describe.each(names.filter((name) => scenarioOf(name) === "finished"))("%s", (name) => {
  test("the next run of the session knows what was said", async () => {
    const store = left(name);
    const { calls, result, prompts } = await goOn(name, { store, session: "s", prompt: "And in Porto?" }, ["Warmer."]);
    expect([calls, result.output]).toEqual([[], "Warmer."]);
    for (const part of ["21 degrees 🪓", "Lisbon", "celsius", "And in Porto?"]) expect(prompts[0]).toContain(part);
    const entries = await store.read("s");
    expect(entries.map(({ seq }) => seq)).toEqual([...entries.keys()]);
    expect(new Set(entries.map(({ v }) => v))).toEqual(new Set([LOG_VERSION]));
  });
});

describe.each(names.filter((name) => scenarioOf(name) !== "finished" && scenarioOf(name) !== "in-doubt"))(
  "%s",
  (name) => {
    test("is approved, calls once what waited and nothing that had been called", async () => {
      const { calls, result, prompts } = await decided(name, { approve: true });
      expect(calls).toEqual(["pay"]);
      expect(result).toMatchObject({ status: "success", output: "the end" });
      expect(prompts[0]).toContain("paid 20");
      if (scenarioOf(name) === "program") expect(prompts[0]).toContain("Lisbon");
    });

    test("is denied, and calls nothing", async () => {
      const { calls, result, prompts } = await decided(name, { deny: "too much money" });
      expect(calls).toEqual([]);
      expect(result).toMatchObject({ status: "success", output: "the end" });
      expect(prompts[0]).toContain("too much money");
    });
  },
);

describe.each(names.filter((name) => scenarioOf(name) === "assigns"))("%s", (name) => {
  test("what calls had left is there for the next ones", async () => {
    const script = [{ toolCalls: [{ name: "recall" }] }, "the end"];
    const { calls, prompts } = await decided(name, { approve: true }, script);
    expect(calls).toEqual(["pay", "recall"]);
    for (const part of ["Ada", "blue"]) expect(prompts[1]!.split("recall").at(-1)).toContain(part);
  });
});

describe.each(names.filter((name) => scenarioOf(name) === "in-doubt"))("%s", (name) => {
  test("waits for somebody to say what became of the call, which is not made again", async () => {
    const { calls, result, prompts } = await decided(name, { value: "it was sent" });
    expect([calls, result.output]).toEqual([[], "the end"]);
    expect(prompts[0]).toContain("it was sent");
  });
});
