/** Grep, in real sandboxes. */
import { expect, test } from "vitest";
import { Grep } from "../../../src/tools/index.ts";
import { inEachSandbox, openLocal, put } from "../helpers.ts";

inEachSandbox((open) => {
  async function withFiles(files: Record<string, string>) {
    const sandbox = await open();
    for (const [path, content] of Object.entries(files)) await put(sandbox, path, content);
    return sandbox;
  }

  test("matching lines with their place", async () => {
    const sandbox = await withFiles({ "a.ts": "one\nneedle\n", "src/b.ts": "needle 2\n" });
    expect(await Grep.execute({ pattern: "needle" }, { sandbox })).toBe("a.ts:2: needle\nsrc/b.ts:1: needle 2");
    expect(await Grep.execute({ pattern: "needle", path: "src" }, { sandbox })).toBe("src/b.ts:1: needle 2");
    expect(await Grep.execute({ pattern: "needle", path: "a.ts" }, { sandbox })).toBe("a.ts:2: needle");
  });

  test("context, in groups", async () => {
    const sandbox = await withFiles({ "a.txt": "1\n2\nx\n4\n5\n6\n7\nx\n", "b.txt": "x\n" });
    expect(await Grep.execute({ pattern: "x", before: 1, after: 1 }, { sandbox })).toBe(
      ["a.txt-2- 2", "a.txt:3: x", "a.txt-4- 4", "--", "a.txt-7- 7", "a.txt:8: x", "--", "b.txt:1: x"].join("\n"),
    );
  });

  test("files and counts", async () => {
    const sandbox = await withFiles({ a: "x\nx\n", b: "y\n", c: "x\n" });
    expect(await Grep.execute({ pattern: "x", mode: "files" }, { sandbox })).toBe("a\nc");
    expect(await Grep.execute({ pattern: "x", mode: "count" }, { sandbox })).toBe("a: 2\nc: 1");
    expect(await Grep.execute({ pattern: "x", mode: "files", limit: 1 }, { sandbox })).toBe(
      "a\n[files 1-1 of 2; use offset=1]",
    );
    expect(await Grep.execute({ pattern: "x", mode: "files", offset: 1 }, { sandbox })).toBe("c\n[files 2-2 of 2]");
  });

  test("literal, letters of either case, glob, and a match over lines", async () => {
    const sandbox = await withFiles({ "a.ts": "f(x)\n", "b.md": "F(X)\n" });
    expect(await Grep.execute({ pattern: "f(x)", literal: true }, { sandbox })).toBe("a.ts:1: f(x)");
    expect(await Grep.execute({ pattern: "f\\(x\\)", ignoreCase: "true" } as never, { sandbox })).toBe(
      "a.ts:1: f(x)\nb.md:1: F(X)",
    );
    expect(await Grep.execute({ pattern: "f", ignoreCase: true, glob: "*.md" }, { sandbox })).toBe("b.md:1: F(X)");
    await put(sandbox, "c.txt", "start\nend\n");
    expect(await Grep.execute({ pattern: "start\\nend", multiline: true }, { sandbox })).toBe(
      "c.txt:1: start\nc.txt:2: end",
    );
  });

  test("nothing, and nothing to search", async () => {
    const sandbox = await withFiles({ "a.ts": "x\n" });
    expect(await Grep.execute({ pattern: "needle" }, { sandbox })).toBe("No matches for needle");
    expect(await Grep.execute({ pattern: "x", glob: "*.rs" }, { sandbox })).toBe(
      "No matches for x: no file was searched; check glob *.rs",
    );
  });

  test("page by page", async () => {
    const sandbox = await withFiles({ a: Array.from({ length: 600 }, (_, index) => `x${index + 1}\n`).join("") });
    const first = await Grep.execute({ pattern: "x" }, { sandbox });
    expect(first.split("\n")).toHaveLength(251);
    expect(first).toMatch(/\na:250: x250\n\[matches 1-250 of 600; use offset=250\]$/);
    expect(await Grep.execute({ pattern: "x", offset: 598 }, { sandbox })).toBe(
      "a:599: x599\na:600: x600\n[matches 599-600 of 600]",
    );
    expect(await Grep.execute({ pattern: "x", offset: 600 }, { sandbox })).toBe(
      "[offset 600 is past the last of 600 matches]",
    );
  });

  test("long lines are cut, and 50 KiB are enough", async () => {
    const sandbox = await withFiles({ a: `${"x".repeat(5000)}\n`.repeat(200) });
    const text = await Grep.execute({ pattern: "x" }, { sandbox });
    expect(text.split("\n")[0]).toBe(`a:1: ${"x".repeat(500)}… [+4500 chars]`);
    expect(Buffer.byteLength(text)).toBeLessThan(51 * 1024);
    const [, shown] = /\n\[matches 1-(\d+) of 200; use offset=\1\]$/.exec(text)!;
    expect(text.split("\n")).toHaveLength(Number(shown) + 1);
  });

  test("a pattern that will not do, and a path that is not there", async () => {
    const sandbox = await withFiles({ a: "x" });
    const refusal = (input: object) =>
      Grep.execute(input as never, { sandbox }).catch((error) => `${error.code}: ${error.message}`);
    expect(await refusal({ pattern: "(" })).toMatch(
      /^GREP_PATTERN_INVALID: The pattern is not a regular expression: missing closing \)/,
    );
    expect(await refusal({ pattern: "(?=x)" })).toMatch(/^GREP_PATTERN_INVALID: Look-ahead/);
    expect(await refusal({ pattern: "x", path: "nowhere" })).toMatch(/^ENOENT: .*nowhere/);
  });
});

test("mistakes in the input", async () => {
  const sandbox = await openLocal();
  const refusal = (input: object) =>
    Grep.execute(input as never, { sandbox }).catch((error) => error.message.replace(/^.*input: /, ""));
  expect(await refusal({ pattern: "x", mode: "lines" })).toBe(
    'mode: must be one of content, files, count, got "lines"',
  );
  expect(await refusal({ pattern: "x", before: -1, literal: "yes" })).toBe(
    "literal: must be true or false, got text; before: must be a whole number of at least 0, got -1",
  );
});
