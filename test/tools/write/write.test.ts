/** Write, in real sandboxes. */
import { chmod, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Edit, Read, Write } from "../../../src/tools/index.ts";
import { contentOf, inEachSandbox, openLocal, put } from "../helpers.ts";

inEachSandbox((open) => {
  test("a new file, with the folders above it, exactly as given", async () => {
    const sandbox = await open();
    const content = "\uFEFFa\r\nb\nno end";
    expect(await Write.execute({ path: "new/deep/file.txt", content }, { sandbox })).toBe(
      "Created new/deep/file.txt (3 lines, 14 bytes)",
    );
    expect(await contentOf(sandbox, "new/deep/file.txt")).toBe(content);
  });

  test("an empty file", async () => {
    const sandbox = await open();
    expect(await Write.execute({ path: "e", content: "" }, { sandbox })).toBe("Created e (0 lines, 0 bytes)");
    expect((await sandbox.stat("e")).size).toBe(0);
  });

  test("a file that was never read is replaced, and the answer is a diff", async () => {
    const sandbox = await open();
    await put(sandbox, "a.txt", "one\ntwo\nthree\n");
    expect(await Write.execute({ path: "a.txt", content: "one\n2\nthree\n" }, { sandbox })).toBe(
      "Updated a.txt (3 lines, 12 bytes)\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three",
    );
  });

  test("what it has already is not written", async () => {
    const sandbox = await open();
    await put(sandbox, "a.txt", "same\n");
    const before = await sandbox.stat("a.txt");
    expect(await Write.execute({ path: "a.txt", content: "same\n" }, { sandbox })).toMatch(/^Unchanged a\.txt/);
    expect((await sandbox.stat("a.txt")).mtimeMs).toBe(before.mtimeMs);
  });

  test("line ends and binary content, where a diff says nothing", async () => {
    const sandbox = await open();
    await put(sandbox, "a.txt", "a\r\nb\r\n");
    expect(await Write.execute({ path: "a.txt", content: "a\nb\n" }, { sandbox })).toContain(
      "[only line ends, the BOM or invalid bytes changed]",
    );
    await put(sandbox, "b.bin", Uint8Array.from([0, 1]));
    expect(await Write.execute({ path: "b.bin", content: "text" }, { sandbox })).toContain("[no diff: not text]");
  });

  test("a long diff is cut at 200 lines", async () => {
    const sandbox = await open();
    await put(sandbox, "a.txt", "old\n".repeat(300));
    const answer = await Write.execute({ path: "a.txt", content: "new\n".repeat(300) }, { sandbox });
    expect(answer.split("\n")).toHaveLength(202);
    expect(answer).toMatch(/\n\[… 401 more lines of this diff\]$/);
  });

  test("a file that changed since it was read is left alone until it is read again", async () => {
    const sandbox = await open();
    await put(sandbox, "a.txt", "mine\n");
    await Read.execute({ path: "a.txt" }, { sandbox });
    await put(sandbox, "a.txt", "theirs\n");
    const again = () => Write.execute({ path: `${sandbox.cwd}/a.txt`, content: "new\n" }, { sandbox });
    await expect(again()).rejects.toMatchObject({
      code: "FILE_CHANGED",
      hint: expect.stringContaining("Read it again"),
    });
    expect(await contentOf(sandbox, "a.txt")).toBe("theirs\n");
    await Read.execute({ path: "a.txt" }, { sandbox });
    await again();
    expect(await contentOf(sandbox, "a.txt")).toBe("new\n");
  });

  test("what this run wrote it knows, and a file that went away may be made anew", async () => {
    const sandbox = await open();
    await Write.execute({ path: "a.txt", content: "1" }, { sandbox });
    await Write.execute({ path: "a.txt", content: "2" }, { sandbox });
    await Edit.execute({ path: "a.txt", edits: [{ oldText: "2", newText: "3" }] }, { sandbox });
    await Write.execute({ path: "a.txt", content: "4" }, { sandbox });
    await sandbox.remove("a.txt");
    expect(await Write.execute({ path: "a.txt", content: "5" }, { sandbox })).toMatch(/^Created/);
  });

  test("another run, with its own sandbox, has its own memory", async () => {
    const first = await open();
    await put(first, "a.txt", "one");
    await Read.execute({ path: "a.txt" }, { sandbox: first });
    const second = await open();
    await put(second, "a.txt", "other");
    expect(await Write.execute({ path: "a.txt", content: "x" }, { sandbox: second })).toMatch(/^Updated/);
  });

  test("refusals: too much, a directory, a parent that is a file", async () => {
    const sandbox = await open();
    await put(sandbox, "dir/file", "x");
    const refusal = (path: string, content = "x") =>
      Write.execute({ path, content }, { sandbox }).catch((error) => error.code);
    expect(await refusal("a", "x".repeat(5 * 1024 * 1024 + 1))).toBe("FILE_TOO_LARGE");
    expect(await refusal("dir")).toBe("EISDIR");
    expect(await refusal("dir/file/below")).toBe("ENOTDIR");
  });
});

test("the file's mode stays", async () => {
  const sandbox = await openLocal();
  await put(sandbox, "run.sh", "#!/bin/sh\n");
  await chmod(join(sandbox.cwd, "run.sh"), 0o755);
  await Write.execute({ path: "run.sh", content: "#!/bin/sh\ntrue\n" }, { sandbox });
  expect((await stat(join(sandbox.cwd, "run.sh"))).mode & 0o777).toBe(0o755);
});

test("a file that was only touched counts as unchanged", async () => {
  const sandbox = await openLocal();
  await put(sandbox, "a.txt", "same");
  await Read.execute({ path: "a.txt" }, { sandbox });
  await utimes(join(sandbox.cwd, "a.txt"), 1, 1);
  expect(await Write.execute({ path: "a.txt", content: "new" }, { sandbox })).toMatch(/^Updated/);
});

test("a change that leaves size and time as they were is seen", async () => {
  const sandbox = await openLocal();
  const path = join(sandbox.cwd, "a.txt");
  await put(sandbox, "a.txt", "aaaa");
  await utimes(path, 1000, 1000);
  await Read.execute({ path: "a.txt" }, { sandbox });
  await writeFile(path, "bbbb");
  await utimes(path, 1000, 1000);
  await expect(Write.execute({ path: "a.txt", content: "new" }, { sandbox })).rejects.toMatchObject({
    code: "FILE_CHANGED",
  });
});
