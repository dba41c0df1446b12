/** Seed 000, "Scoped command grants": no shell stands between the model and a program, and its token stays with it. */
import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { Sandbox } from "../../src/index.ts";
import { local } from "../../src/sandbox/index.ts";
import { ReviewAgent } from "./condukt.ts";
import { call, play, shownSchema, toldResults } from "./play.ts";

const token = "ghp_standInToken0123456789";

/** Writes down how it was started, in a place that the model does not see; says its token when it is asked to. */
const standIn = `#!${process.execPath}
const { appendFileSync } = require("node:fs");
const [, program, ...args] = process.argv;
const seen = { program: require("node:path").basename(program), args, env: process.env, cwd: process.cwd() };
appendFileSync(require("node:path").join(__dirname, "../seen.jsonl"), JSON.stringify(seen) + "\\n");
const { GH_TOKEN = "" } = process.env;
if (args[0] === "tell") {
  process.stdout.write("token=" + GH_TOKEN.slice(0, 9));
  setTimeout(() => process.stdout.write(GH_TOKEN.slice(9) + "\\n"), 50);
} else if (args[0] === "wait") setTimeout(() => {}, 60_000);
else console.log("ran " + seen.program);
`;

interface Seen {
  program: string;
  args: string[];
  env: Record<string, string>;
  cwd: string;
}

let folder: string;
let sandbox: Sandbox;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "haft-review-"));
  await mkdir(join(folder, "bin"));
  await mkdir(join(folder, "repo/src"), { recursive: true });
  await writeFile(join(folder, "repo/README.md"), "Review me.\n");
  for (const program of ["git", "gh"]) {
    await writeFile(join(folder, "bin", program), standIn);
    await chmod(join(folder, "bin", program), 0o755);
  }
  sandbox = await local({ cwd: join(folder, "repo"), env: { PATH: `${join(folder, "bin")}:${process.env.PATH}` } });
});

afterAll(async () => {
  await sandbox?.dispose();
  await rm(folder, { recursive: true, force: true });
});

beforeEach(async () => {
  vi.stubEnv("GH_TOKEN", token);
  await writeFile(join(folder, "seen.jsonl"), "");
});
afterEach(() => {
  vi.unstubAllEnvs();
});

async function seen(): Promise<Seen[]> {
  const text = await readFile(join(folder, "seen.jsonl"), "utf8");
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/**
 * A program that stands in for git answers none of the questions that the profile of git asks first. Without a profile,
 * git runs only where somebody looks at each call.
 */
const tools = () =>
  ReviewAgent.tools().map((entry) =>
    Array.isArray(entry) ? [entry[0].with({ approval: true }), { ...entry[1], profile: false }] : entry,
  ) as ReturnType<typeof ReviewAgent.tools>;
const approve = async () => true;

const review = (...script: Parameters<typeof play> extends [unknown, ...infer Script] ? Script : never) =>
  play({ tools: tools(), sandbox, approve }, ...script);

test("as the seed writes it, with the real git", async () => {
  const repository = await mkdtemp(join(tmpdir(), "haft-review-git-"));
  const place = await local({ cwd: repository });
  try {
    execFileSync("git", ["init", "-q"], { cwd: repository });
    await writeFile(join(repository, "a.txt"), "a\n");
    const calls = [call("Git", { args: ["status", "--short"] }), call("Git", { args: ["-c", "core.pager=x", "log"] })];
    const { model } = await play({ tools: ReviewAgent.tools(), sandbox: place }, ...calls, "Done.");
    expect(toldResults(model.requests[2])[0]).toContain("?? a.txt");
    expect(toldResults(model.requests[2])[1]).toContain("Nothing was run");
  } finally {
    await place.dispose();
    await rm(repository, { recursive: true, force: true });
  }
});

test("the model is shown Read, Git and Gh, and of the programs only args, cwd and timeout", async () => {
  const { model } = await review("Nothing to review.");
  expect(model.requests[0]!.tools!.map((tool) => tool.name)).toEqual(["Read", "Git", "Gh"]);
  const schema = shownSchema(model.requests[0], "Gh");
  expect(Object.keys(schema.properties)).toEqual(["args", "cwd", "timeout"]);
  expect(schema.properties.args).toMatchObject({ type: "array", items: { type: "string" } });
});

test("it reads files and runs both programs", async () => {
  const { model } = await review(
    call("Read", { path: "README.md" }),
    call("Git", { args: ["log", "--oneline"] }),
    call("Gh", { args: ["pr", "view", "7"] }),
    "Looks good.",
  );
  const [read, git, gh] = toldResults(model.requests[3]);
  expect(read).toContain("Review me.");
  expect(git).toContain("ran git");
  expect(gh).toContain("ran gh");
  expect((await seen()).map(({ program, args }) => [program, ...args])).toEqual([
    ["git", "log", "--oneline"],
    ["gh", "pr", "view", "7"],
  ]);
});

describe("no shell", () => {
  const hostile = [
    "; touch pwned",
    "$(touch pwned)",
    "`touch pwned`",
    "a && touch pwned",
    "| touch pwned",
    "> pwned",
    "$GH_TOKEN",
    "*",
    "~",
    "two words",
    `quo"te and apos'trophe`,
    "back\\slash",
    "line\nbreak",
    "",
  ];

  test.each(["Git", "Gh"])("%s: arguments arrive as they were sent", async (name) => {
    await review(call(name, { args: hostile }), "Done.");
    expect((await seen()).map(({ args }) => args)).toEqual([hostile]);
    expect((await readdir(join(folder, "repo"))).sort()).toEqual(["README.md", "src"]);
  });

  test("arguments that are one text are refused, not split", async () => {
    const { model } = await review(call("Git", { args: "log; touch pwned" }), "Sorry.");
    expect(toldResults(model.requests[1])[0]).toContain("args");
    expect(await seen()).toEqual([]);
  });
});

describe("the token", () => {
  test("is in the environment of gh, and not in that of git", async () => {
    await review(call("Git", { args: ["status"] }), call("Gh", { args: ["pr", "list"] }), "Done.");
    const [git, gh] = await seen();
    expect(gh!.env.GH_TOKEN).toBe(token);
    expect(JSON.stringify(git)).not.toContain(token);
  });

  test("is in no request, entry, event, result or hook, not even when gh says it", async () => {
    const hooked: unknown[] = [];
    const { model, events, result } = await play(
      { tools: tools(), sandbox, approve, hooks: { onAfterTool: (event) => void hooked.push(event) } },
      call("Gh", { args: ["tell"] }),
      call("Gh", { args: ["auth", "$GH_TOKEN"] }),
      "Done.",
    );
    expect((await seen()).map(({ env }) => env.GH_TOKEN)).toEqual([token, token]);
    expect(toldResults(model.requests[1])[0]).toContain("token=[REDACTED:GH_TOKEN]");
    expect(events.some((event) => event.type === "tool-output")).toBe(true);
    for (const place of [model.requests, events, result, hooked]) {
      expect(everything(place)).not.toContain(token);
    }
    expect(pieces(events)).not.toContain(token.slice(9));
  });

  test("this test would see it", () => {
    expect(everything([{ deep: { er: [{ still: token }] } }])).toContain(token);
  });

  const everything = (value: unknown) =>
    JSON.stringify(value) + inspect(value, { depth: Infinity, maxStringLength: Infinity, maxArrayLength: Infinity });

  /** Live output comes in pieces: no half of the token either. */
  const pieces = (events: readonly { type: string }[]) =>
    JSON.stringify(events.filter(({ type }) => type === "tool-output"));
});

describe("cwd and timeout", () => {
  test("cwd overrides the working directory for one call", async () => {
    await review(call("Git", { args: ["status"], cwd: "src" }), call("Git", { args: ["status"] }), "Done.");
    const [inSrc, inRepo] = (await seen()).map(({ cwd }) => cwd);
    expect(inSrc).toBe(`${inRepo}/src`);
  });

  test("timeout is in seconds, and the model reads that it passed", async () => {
    const startedAt = Date.now();
    const { model } = await review(call("Git", { args: ["wait"], timeout: 1 }), "Too slow.");
    expect(toldResults(model.requests[1])[0]).toContain("timed out after 1 s");
    expect(Date.now() - startedAt).toBeLessThan(20_000);
  });
});
