/**
 * The lines of Condukt's own test suite for its built-in tools. What they ask for holds, but for these:
 *
 * | line      | Condukt                                     | here                                    | why |
 * |-----------|---------------------------------------------|-----------------------------------------|-----|
 * | READ-1, 2 | text verbatim                               | `number<TAB>text`                       | the model can name lines, and finds them in Grep and errors |
 * | READ-6    | the media type comes from the file's name   | from its first bytes                    | a wrong name would send bytes that a provider refuses |
 * | BASH-6    | `(exit code: 42)`, nothing for 0            | `[exit 42, 0.1 s]`, always              | the end of an output, and how long it took, are never in doubt |
 * | BASH-9, COMMAND-6 | "Command failed: …"                 | `COMMAND_NOT_STARTED`, with the reason  | a stable code; nothing of the host's language |
 * | COMMAND-1 | runs on the host                            | runs in the sandbox                     | nothing reaches around the sandbox |
 * | COMMAND-5 | "Command arguments must be an array of strings" | `args: must be an array of strings` | one form for all mistakes in an input |
 * | EDIT-1    | "Successfully edited", old and new lines    | "Edited", a unified diff with context   | shows where, and what stands around it |
 * | EDIT-4    | identical texts are told even for a missing file | the file is looked for first       | the more useful of the two errors |
 * | GLOB-1    | "N match(es) for"                           | "1 match for", "3 matches for"          | a sentence |
 * | GREP-4    | "Invalid regex: …"                          | `GREP_PATTERN_INVALID`, with the reason | a stable code |
 * | WRITE-1   | "Wrote new.txt (L lines, B bytes)"          | "Created" or "Updated", with a diff     | says whether something was replaced |
 * | GLOB-3, READ-7 | ArgumentError                          | `SANDBOX_NONE`                          | a stable code |
 */
import { expect, test } from "vitest";
import { executeTool, toolName, toolSpec } from "../../src/core/tool-spec.ts";
import { Bash, Command, Edit, Glob, Grep, Read, Write } from "../../src/tools/index.ts";
import { contentFor, contentOf, openLocal, put } from "./helpers.ts";

const read = (input: object, sandbox: Awaited<ReturnType<typeof openLocal>>) =>
  Read.execute(input as { path: string }, { sandbox });
const secretOf = (values: Record<string, string>) => ({
  names: Object.keys(values),
  env: () => values,
  get: (name: string) => values[name]!,
});

test("TOOL-1: the spec of a tool has name, description and parameters", () => {
  expect(toolSpec(Read)).toMatchObject({
    name: "Read",
    description: expect.any(String),
    parameters: { type: "object" },
  });
});

test("TOOL-2: the spec of a parameterised tool", () => {
  const spec = toolSpec([Command, { command: "git" }]);
  expect(spec).toMatchObject({
    name: "Git",
    description: expect.stringContaining("`git`"),
    parameters: { properties: { args: { type: "array" } } },
  });
  expect(toolName([Command, { command: "gh" }])).toBe("Gh");
});

test("TOOL-6: a call by its spec", async () => {
  const sandbox = await openLocal();
  const outcome = await executeTool([Command, { command: "echo" }], { args: ["hi"] }, { sandbox });
  expect(outcome).toEqual({ ok: true, output: expect.stringMatching(/^hi\n\[exit 0, /) });
});

test("BASH-1, BASH-3, BASH-5, BASH-6: output of both streams, TERM=dumb, the exit code in a result", async () => {
  const sandbox = await openLocal();
  const text = await Bash.execute({ command: "echo $TERM; echo err >&2; exit 42" }, { sandbox });
  expect(text.split("\n").slice(0, 2).sort()).toEqual(["dumb", "err"]);
  expect(text).toMatch(/\n\[exit 42, \d+\.\d s\]$/);
});

test("BASH-2, COMMAND-1: 120 seconds unless the model says otherwise", async () => {
  const { timeLimit } = await import("../../src/tools/commands/time-limit.ts");
  expect(timeLimit(undefined)).toEqual({ ms: 120_000 });
  expect(timeLimit(1.5)).toEqual({ ms: 1500 });
  expect(Bash.inputSchema.properties.timeout.description).toContain("default 120");
});

test("BASH-4: the session's secrets are in the environment", async () => {
  const sandbox = await openLocal();
  const secrets = secretOf({ TOKEN: "abcdef" });
  expect(await Bash.execute({ command: 'test "$TOKEN" = abcdef && echo same' }, { sandbox, secrets })).toMatch(
    /^same\n/,
  );
});

test("BASH-7, BASH-8: the sandbox's folder, and one relative to it", async () => {
  const sandbox = await openLocal();
  await put(sandbox, "sub/file", "");
  expect(await Bash.execute({ command: "pwd" }, { sandbox })).toContain(`${sandbox.cwd}\n`);
  expect(await Bash.execute({ command: "pwd", cwd: "sub" }, { sandbox })).toContain(`${sandbox.cwd}/sub\n`);
});

test("BASH-9, COMMAND-6: a command that cannot be started", async () => {
  const sandbox = await openLocal();
  await expect(Bash.execute({ command: "pwd", cwd: "nowhere" }, { sandbox })).rejects.toMatchObject({
    code: "COMMAND_NOT_STARTED",
  });
  await expect(Command.withOptions({ command: "no-such-program" }).execute({}, { sandbox })).rejects.toMatchObject({
    code: "COMMAND_NOT_STARTED",
  });
});

test("COMMAND-1, COMMAND-2, COMMAND-3, COMMAND-4: arguments as a list, both environments, both streams, a relative folder", async () => {
  const sandbox = await openLocal();
  await put(sandbox, "sub/script.sh", 'echo "$1|$2|$TERM|$PAGER|$MINE|$THEIRS"; pwd; echo err >&2');
  const tool = Command.with({ approval: true }).withOptions({ command: "bash", env: { MINE: "m" } });
  const text = await tool.execute(
    { args: ["script.sh", "a b", "$HOME"], cwd: "sub" },
    { sandbox, secrets: secretOf({ THEIRS: "t" }) },
  );
  expect(text).toMatch(/^a b\|\$HOME\|dumb\|cat\|m\|t\n.*\/sub$/m);
  expect(text).toMatch(/^err$/m);
});

test("COMMAND-5: arguments that are not strings", async () => {
  const call = Command.withOptions({ command: "git" }).execute({ args: ["status", 1] } as never);
  await expect(call).rejects.toMatchObject({
    code: "TOOL_INPUT_INVALID",
    message: expect.stringContaining("args: must be an array of strings"),
  });
});

test("EDIT-1 to EDIT-4", async () => {
  const sandbox = await openLocal();
  await put(sandbox, "a.txt", "one\ntwo\ntwo\n");
  const edit = (old_text: string, new_text: string) => Edit.execute({ path: "a.txt", old_text, new_text }, { sandbox });
  await expect(edit("three", "3")).rejects.toThrow(/not found/);
  await expect(edit("two", "2")).rejects.toThrow(/Found 2 occurrences/);
  await expect(edit("one", "one")).rejects.toThrow(/No changes made/);
  expect(await contentOf(sandbox, "a.txt")).toBe("one\ntwo\ntwo\n");
  expect(await edit("one", "1")).toContain("-one\n+1\n");
  expect(await contentOf(sandbox, "a.txt")).toBe("1\ntwo\ntwo\n");
});

test("GLOB-1, GLOB-2, GLOB-3", async () => {
  const sandbox = await openLocal();
  await put(sandbox, "a.ex", "");
  expect(await Glob.execute({ pattern: "**/*.ex" }, { sandbox })).toBe("1 match for **/*.ex:\na.ex");
  expect(await Glob.execute({ pattern: "*.rs" }, { sandbox })).toContain("No files matched");
  await expect(Glob.execute({ pattern: "*" })).rejects.toMatchObject({ code: "SANDBOX_NONE" });
});

test("GREP-1 to GREP-4", async () => {
  const sandbox = await openLocal();
  await put(sandbox, "a.ex", "hay\nneedle\n");
  await put(sandbox, "b.txt", "needle\n");
  expect(await Grep.execute({ pattern: "needle", glob: "*.ex" }, { sandbox })).toBe("a.ex:2: needle");
  expect(await Grep.execute({ pattern: "pin" }, { sandbox })).toContain("No matches");
  await expect(Grep.execute({ pattern: "[" }, { sandbox })).rejects.toMatchObject({ code: "GREP_PATTERN_INVALID" });
});

test("READ-1, READ-2: all lines, and lines 2 to 3", async () => {
  const sandbox = await openLocal();
  await put(sandbox, "a.txt", "a\nb\nc\nd\n");
  expect(await read({ path: "a.txt" }, sandbox)).toBe("1\ta\n2\tb\n3\tc\n4\td");
  expect(await read({ path: "a.txt", offset: 2, limit: 2 }, sandbox)).toBe(
    "2\tb\n3\tc\n[lines 2-3 of 4; use offset=4]",
  );
});

test("READ-3, READ-4, READ-7: no file, a directory, no sandbox", async () => {
  const sandbox = await openLocal();
  await sandbox.mkdir("dir");
  await expect(read({ path: "none" }, sandbox)).rejects.toThrow(/not found/);
  await expect(read({ path: "dir" }, sandbox)).rejects.toThrow(/directory/);
  await expect(Read.execute({ path: "a" })).rejects.toMatchObject({ code: "SANDBOX_NONE" });
});

test("READ-5, READ-6: a picture, to the value and to the model", async () => {
  const sandbox = await openLocal();
  const bytes = Buffer.from("\x89PNG\r\n\x1a\n\0\xff\xfe", "latin1");
  await put(sandbox, "a.png", bytes);
  const image = await read({ path: "a.png" }, sandbox);
  expect(image).toEqual({ type: "image", mediaType: "image/png", data: bytes.toString("base64") });
  expect((await contentFor(Read, { path: "a.png" }, sandbox))?.[1]).toEqual(image);
});

test("WRITE-1 to WRITE-3: a new file, a replaced one, and folders on the way", async () => {
  const sandbox = await openLocal();
  expect(await Write.execute({ path: "a/b/new.txt", content: "1" }, { sandbox })).toMatch(/^Created a\/b\/new\.txt/);
  expect(await Write.execute({ path: "a/b/new.txt", content: "2" }, { sandbox })).toMatch(/^Updated a\/b\/new\.txt/);
  expect(await contentOf(sandbox, "a/b/new.txt")).toBe("2");
});
