import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { PolicyRule } from "../../src/index.ts";
import { openSandbox } from "../../src/sandbox/index.ts";
import { Bash, Command, Edit, Glob, Grep, Read, Write } from "../../src/tools/index.ts";
import { asks, execute, results, scriptedModel, tool } from "./support.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-policy-"));
const files: Record<string, string> = {
  ".env": "KEY=of the house\n",
  "src/a.ts": "export const a = 1;\n",
  "src/deep/b.ts": "export const b = 2;\n",
  "secrets/key.pem": "the key\n",
  "README.md": "# Read me\n",
};
for (const [path, content] of Object.entries(files)) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}
const tools = [Read, Write, Edit, Glob, Grep, Bash, [Command, { command: "echo" }] as const];
const sandbox = await openSandbox("local", { cwd: folder });
afterAll(async () => {
  await sandbox.dispose();
  rmSync(folder, { recursive: true, force: true });
});

async function read(policy: PolicyRule[], name: string, input: unknown): Promise<string> {
  const model = scriptedModel([asks([name, input]), "ok"]);
  const result = await execute({ model, tools, sandbox, policy, prompt: "go" });
  return result.isInterrupted() ? "asked" : results(model.requests[1]!.prompt).call_1_1!;
}

const isDenied = (text: string) => text.includes("This call was denied");

describe("deny .env", () => {
  const policy: PolicyRule[] = [{ path: ".env", then: "deny", reason: "it holds keys" }];

  test.each([
    ".env",
    "./.env",
    "././/.env",
    "src/../.env",
    "src/deep/../../.env",
    "nothing/../.env",
    `${folder}/.env`,
    `${folder}/src/../.env`,
    `/../${folder}/./.env`,
    ".env/",
    ".ENV",
    "src/.env",
    "/somewhere/else/.env",
    ".env/inside",
  ])("whatever way it is written: %s", async (path) => {
    for (const [name, input] of [
      ["Read", { path }],
      ["Write", { path, content: "x" }],
      ["Edit", { path, oldText: "KEY", newText: "x" }],
      ["Grep", { path, pattern: "KEY" }],
      ["Glob", { path, pattern: "*" }],
    ] as const) {
      expect([name, isDenied(await read(policy, name, input))]).toEqual([name, true]);
    }
  });

  test.each(["README.md", "src/a.ts", ".env.example", "x.env"])("and nothing else: %s", async (path) => {
    expect(isDenied(await read(policy, "Read", { path }))).toBe(false);
  });

  test("a search is denied where it would look into the file, and only there", async () => {
    expect(isDenied(await read(policy, "Grep", { pattern: "of the house" }))).toBe(true);
    expect(isDenied(await read(policy, "Grep", { pattern: "of the house", path: ".." }))).toBe(true);
    expect(isDenied(await read(policy, "Glob", { pattern: "*", cwd: "." }))).toBe(true);
    expect(await read(policy, "Grep", { pattern: "const", path: "src" })).toContain("src/a.ts:1:");
    writeFileSync(join(folder, ".gitignore"), ".env\n");
    const found = await read(policy, "Grep", { pattern: "." });
    rmSync(join(folder, ".gitignore"));
    expect(found).toContain("README.md");
    expect(found).not.toContain("of the house");
  });

  test("a rule for the search before it lets it look", async () => {
    const lenient: PolicyRule[] = [{ tool: "{Glob,Grep}", then: "allow" }, ...policy];
    expect(await read(lenient, "Grep", { pattern: "of the house" })).toContain(".env:1:");
    expect(isDenied(await read(lenient, "Read", { path: ".env" }))).toBe(true);
  });

  test("holds for no command: what a shell does with files, a path rule does not see", async () => {
    expect(await read(policy, "Bash", { command: "cat .env" })).toContain("of the house");
  });
});

describe("patterns", () => {
  test.each([
    ["secrets", "secrets/key.pem", true],
    ["secrets/", "secrets/key.pem", true],
    ["secrets/**", "secrets/key.pem", true],
    ["./secrets/**", "secrets/key.pem", true],
    ["**/key.pem", "secrets/key.pem", true],
    ["*.pem", "secrets/key.pem", true],
    ["*.PEM", "secrets/key.pem", true],
    ["{secrets,private}/**", "secrets/key.pem", true],
    [`${folder}/secrets/**`, "secrets/key.pem", true],
    ["/etc/**", "secrets/key.pem", false],
    ["/etc/**", "/etc/passwd", true],
    ["/**", "README.md", true],
    ["**", "README.md", true],
    ["**", "/etc/passwd", true],
    ["src/*.ts", "src/deep/b.ts", false],
    ["src/secrets/**", "secrets/key.pem", false],
  ])("deny %s keeps %s: %s", async (path, file, keeps) => {
    expect(isDenied(await read([{ path, then: "deny" }], "Read", { path: file }))).toBe(keeps);
  });

  test.each([
    ["Read", { path: "src/a.ts" }, true],
    ["Read", { path: "src/../src/a.ts" }, true],
    ["Read", { path: "src/../README.md" }, false],
    ["Read", { path: "SRC/a.ts" }, false],
    ["Read", { path: "README.md" }, false],
    ["Grep", { path: "src", pattern: "a" }, true],
    ["Grep", { path: "src/deep", pattern: "b" }, true],
    ["Grep", { path: ".", pattern: "b" }, false],
    ["Grep", { pattern: "b" }, false],
    ["Glob", { pattern: "src/*" }, false],
    ["Bash", { command: "ls", cwd: "src" }, false],
    ["Echo", { args: ["x"], cwd: "src" }, false],
  ])("allow src/** lets %s %j run: %s", async (name, input, runs) => {
    expect(isDenied(await read([{ path: "src/**", then: "allow" }, { then: "deny" }], name, input))).toBe(!runs);
  });

  test("command rules know Bash and Command", async () => {
    const policy: PolicyRule[] = [{ command: "echo *", then: "allow" }, { then: "deny" }];
    expect(await read(policy, "Bash", { command: "echo hello" })).toContain("hello");
    expect(isDenied(await read(policy, "Bash", { command: "echo hello; ls" }))).toBe(true);
    expect(await read(policy, "Echo", { args: ["hello; ls"] })).toContain("hello; ls");
    expect(isDenied(await read([{ command: "echo secret*", then: "deny" }], "Echo", { args: ["secrets"] }))).toBe(true);
  });
});

test("a tool of one's own takes part: each of its files, and all below its folders", async () => {
  const copy = tool("copy", () => "copied", { subject: ({ from, to }) => ({ files: [from, to] }), sandbox: true });
  const empty = tool("empty", () => "emptied", { subject: ({ folder }) => ({ folders: [folder] }), sandbox: true });
  const bare = tool("bare", () => "done", { subject: ({ folder }) => ({ folders: [folder] }) });
  const run = async (policy: PolicyRule[], one: any, input: unknown, place?: typeof sandbox) => {
    const model = scriptedModel([asks([one.name, input]), "ok"]);
    await execute({ model, tools: [one], policy, prompt: "go", cwd: folder, ...(place && { sandbox: place }) });
    return !isDenied(results(model.requests[1]!.prompt).call_1_1!);
  };
  const deny: PolicyRule[] = [{ path: "secrets/**", then: "deny" }];
  const allow: PolicyRule[] = [{ path: "src/**", then: "allow" }, { then: "deny" }];
  expect(await run(deny, copy, { from: "README.md", to: "secrets/x" }, sandbox)).toBe(false);
  expect(await run(allow, copy, { from: "src/a.ts", to: "src/b.ts" }, sandbox)).toBe(true);
  expect(await run(allow, copy, { from: "src/a.ts", to: "README.md" }, sandbox)).toBe(false);
  expect(await run(deny, empty, { folder: "secrets" }, sandbox)).toBe(false);
  expect(await run(deny, empty, { folder: "src" }, sandbox)).toBe(true);
  expect(await run(deny, empty, { folder: "nowhere" }, sandbox)).toBe(true);
  // Without a sandbox nobody can tell what is in a folder: it counts as if the file were there.
  expect(await run(deny, bare, { folder: "." })).toBe(false);
  expect(await run(deny, bare, { folder: "src" })).toBe(true);
});

test("the virtual sandbox has the same rules, from its own cwd", async () => {
  const virtual = await openSandbox("virtual", { cwd: folder });
  const model = scriptedModel([
    asks(["Read", { path: "src/../.env" }], ["Read", { path: `${virtual.cwd}/.env` }], ["Read", { path: "README.md" }]),
    "ok",
  ]);
  await execute({ model, tools: [Read], sandbox: virtual, policy: [{ path: ".env", then: "deny" }], prompt: "go" });
  await virtual.dispose();
  const { call_1_1, call_1_2, call_1_3 } = results(model.requests[1]!.prompt);
  expect([call_1_1, call_1_2].map((text) => isDenied(text!))).toEqual([true, true]);
  expect(call_1_3).toContain("Read me");
});

describe("links", () => {
  const linked: Record<string, string> = {
    "plain.txt": ".env",
    "docs/guide.txt": "../secrets/key.pem",
    "src/out": "../secrets",
    "src/more": "deep",
    chain: "docs/guide.txt",
    round: "round",
  };
  mkdirSync(join(folder, "docs"));
  for (const [path, target] of Object.entries(linked)) symlinkSync(target, join(folder, path));
  const deny: PolicyRule[] = [{ path: "{.env,secrets/**}", then: "deny" }];
  const allow: PolicyRule[] = [{ path: "src/**", then: "allow" }, { then: "deny" }];

  test.each(["plain.txt", "docs/guide.txt", "src/out/key.pem", "chain", "src/out/../out/key.pem", "src/out/new.txt"])(
    "a file is denied under another name too: %s",
    async (path) => {
      expect(isDenied(await read(deny, "Read", { path }))).toBe(true);
      expect(isDenied(await read(deny, "Write", { path, content: "x" }))).toBe(true);
    },
  );

  test("a folder is denied under another name too", async () => {
    expect(isDenied(await read(deny, "Grep", { path: "src/out", pattern: "key" }))).toBe(true);
    expect(isDenied(await read(deny, "Grep", { path: "src/more", pattern: "b" }))).toBe(false);
  });

  test.each([
    ["src/more/b.ts", true],
    ["src/deep/b.ts", true],
    ["src/new/file.ts", true],
    ["src/out/key.pem", false],
    ["src/out/new.txt", false],
  ])("what is allowed is allowed where it leads to: %s, %s", async (path, runs) => {
    expect(isDenied(await read(allow, "Read", { path }))).toBe(!runs);
  });

  test("a link to itself ends", async () => {
    expect(isDenied(await read(deny, "Read", { path: "round" }))).toBe(false);
  });
});

test("a folder of more files than a sandbox lists: it is asked for those that the rule names", async () => {
  const large = join(folder, "large");
  mkdirSync(join(large, "vault"), { recursive: true });
  for (let n = 0; n < 10_001; n++) writeFileSync(join(large, `${n}.txt`), "");
  writeFileSync(join(large, "vault/key.pem"), "the key");
  const held = async (path: string, at = "large") =>
    isDenied(await read([{ path, then: "deny" }], "Grep", { pattern: "key", path: at, glob: "*.pem" }));
  expect(await held("*.pem")).toBe(true);
  expect(await held("vault")).toBe(true);
  expect(await held("large/vault/**")).toBe(true);
  expect(await held(`${large}/vault/**`, ".")).toBe(true);
  expect(await held("*.txt")).toBe(true);
  expect(await held("*.key")).toBe(false);
  expect(await held("large/other/**")).toBe(false);
  expect(await held("secrets/**")).toBe(false);
  rmSync(large, { recursive: true });
});

test("a hundred rules and a folder of files cost little", async () => {
  const policy = Array.from({ length: 100 }, (_, n): PolicyRule => ({ path: `no/${n}/**`, then: "deny" }));
  const started = Date.now();
  expect(await read(policy, "Grep", { pattern: "Read me" })).toContain("README.md");
  expect(Date.now() - started).toBeLessThan(10_000);
});
