import { execFileSync } from "node:child_process";
import { chmod, link, lstat, mkdir, open, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { local } from "../../src/sandbox/local/index.ts";
import { bytes, openLocal, tempFolder, text } from "./local-helpers.ts";

describe("reading", () => {
  test("what is not a regular file is refused at once, and never waited for", async () => {
    const { cwd, sandbox } = await openLocal();
    execFileSync("mkfifo", [join(cwd, "pipe")]);
    await symlink("/dev/zero", join(cwd, "zero"));
    const server = createServer().listen(join(cwd, "socket"));
    try {
      await expect(sandbox.readFile("pipe")).rejects.toMatchObject({ code: "EINVAL" });
      await expect(sandbox.writeFile("pipe", bytes("x"))).rejects.toMatchObject({ code: "EINVAL" });
      await expect(sandbox.readFile("socket")).rejects.toMatchObject({ code: "EINVAL" });
      await expect(sandbox.readFile("zero")).rejects.toMatchObject({ code: "EPERM" });
      await expect(sandbox.readFile("/dev/zero")).rejects.toMatchObject({ code: "EPERM" });
      await expect(sandbox.readFile(".")).rejects.toMatchObject({ code: "EISDIR" });
      expect(await sandbox.stat("pipe")).toMatchObject({ type: "other" });
    } finally {
      server.close();
    }
  });

  test("an abort ends it with the signal's reason", async () => {
    const { sandbox } = await openLocal();
    await sandbox.writeFile("file.txt", bytes("text"));
    const reason = new Error("enough");
    await expect(sandbox.readFile("file.txt", { abortSignal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  test("a number that is no byte count is refused", async () => {
    const { sandbox } = await openLocal();
    await sandbox.writeFile("file.txt", bytes("text"));
    for (const options of [{ offset: -1 }, { offset: 0.5 }, { length: Number.NaN }]) {
      await expect(sandbox.readFile("file.txt", options)).rejects.toMatchObject({ code: "EINVAL" });
    }
  });

  test("a link from which one can tell that something exists outside tells nothing", async () => {
    const { cwd, sandbox } = await openLocal();
    await symlink("/etc/passwd", join(cwd, "there"));
    await symlink("/etc/no-such-file", join(cwd, "not-there"));
    const there = await sandbox.stat("there").catch((error) => error);
    const notThere = await sandbox.stat("not-there").catch((error) => error);
    expect(there.code).toBe("EPERM");
    expect(notThere.message.replace("not-there", "there")).toBe(there.message);
  });
});

describe("writing", () => {
  test("goes beside the file and over it: whoever has it open keeps the old bytes, and nothing else is left", async () => {
    const { cwd, sandbox } = await openLocal();
    await sandbox.writeFile("file.txt", bytes("old"), { mode: 0o640 });
    const reader = await open(join(cwd, "file.txt"));
    await sandbox.writeFile("file.txt", bytes("new and longer"));
    expect(await reader.readFile("utf8")).toBe("old");
    await reader.close();
    expect(await readFile(join(cwd, "file.txt"), "utf8")).toBe("new and longer");
    expect((await stat(join(cwd, "file.txt"))).mode & 0o7777).toBe(0o640);
    expect(await readdir(cwd)).toEqual(["file.txt"]);
  });

  test("keeps the other names of a hard-linked file", async () => {
    const { cwd, sandbox } = await openLocal();
    await sandbox.writeFile("one.txt", bytes("a longer first version"));
    await link(join(cwd, "one.txt"), join(cwd, "two.txt"));
    await sandbox.writeFile("one.txt", bytes("second"));
    expect(text(await sandbox.readFile("two.txt"))).toBe("second");
    expect((await stat(join(cwd, "one.txt"))).nlink).toBe(2);
  });

  test("through a link to a file that is not there yet makes that file", async () => {
    const { cwd, sandbox } = await openLocal();
    await mkdir(join(cwd, "real"));
    await symlink("real/new.txt", join(cwd, "link.txt"));
    await sandbox.writeFile("link.txt", bytes("made"));
    expect(await readFile(join(cwd, "real/new.txt"), "utf8")).toBe("made");
    expect((await lstat(join(cwd, "link.txt"))).isSymbolicLink()).toBe(true);
  });

  test("of many writes with the same ifMatch, one goes through", async () => {
    const { sandbox } = await openLocal();
    await sandbox.writeFile("file.txt", bytes("start"));
    const { mtimeMs, size } = await sandbox.stat("file.txt");
    const write = (index: number) =>
      sandbox.writeFile("file.txt", bytes(`writer ${index}`), { ifMatch: { mtimeMs, size } });
    const codes = await Promise.all(range(10).map((index) => write(index).then(String, (error) => error.code)));
    expect(codes.filter((code) => code === "ESTALE")).toHaveLength(9);

    const create = (index: number) => sandbox.writeFile("new.txt", bytes(`writer ${index}`), { ifMatch: "absent" });
    const created = await Promise.all(range(10).map((index) => create(index).then(String, (error) => error.code)));
    expect(created.filter((code) => code === "EEXIST")).toHaveLength(9);
  });

  test("many writers make the same folders without getting in each other's way", async () => {
    const { cwd, sandbox } = await openLocal();
    await Promise.all(range(20).map((index) => sandbox.writeFile(`a/b/c/${index}.txt`, bytes("x"))));
    expect(await readdir(join(cwd, "a/b/c"))).toHaveLength(20);
  });

  test.runIf(process.getuid?.() !== 0)("does not go over a file that is read-only", async () => {
    const { cwd, sandbox } = await openLocal();
    await writeFile(join(cwd, "locked.txt"), "kept");
    await chmod(join(cwd, "locked.txt"), 0o444);
    await expect(sandbox.writeFile("locked.txt", bytes("over"))).rejects.toMatchObject({ code: "EPERM" });
  });
});

describe("removing and moving", () => {
  test("does not enter a symlink, wherever in the tree it is", async () => {
    const outside = await tempFolder();
    await writeFile(join(outside, "kept.txt"), "kept");
    const { cwd, sandbox } = await openLocal();
    await mkdir(join(cwd, "tree/deep"), { recursive: true });
    await symlink(outside, join(cwd, "tree/deep/link"));
    await sandbox.remove("tree", { recursive: true });
    expect(await readdir(cwd)).toEqual([]);
    expect(await readFile(join(outside, "kept.txt"), "utf8")).toBe("kept");
  });

  test("a folder cannot go into itself, nor over one that is not empty", async () => {
    const { sandbox } = await openLocal();
    await sandbox.writeFile("a/x.txt", bytes("x"));
    await sandbox.writeFile("b/y.txt", bytes("y"));
    await expect(sandbox.rename("a", "a/inner/a")).rejects.toMatchObject({ code: "EINVAL" });
    await expect(sandbox.rename("a", "b")).rejects.toMatchObject({ code: "EEXIST" });
    expect(text(await sandbox.readFile("a/x.txt"))).toBe("x");
  });
});

describe("the root", () => {
  test("may be given through a symlink, and absolute paths through it are understood", async () => {
    const folder = await tempFolder();
    await mkdir(join(folder, "real"));
    await symlink("real", join(folder, "alias"));
    const sandbox = await local({ cwd: join(folder, "alias") });
    expect(sandbox.cwd).toBe(join(folder, "real"));
    await sandbox.writeFile(join(folder, "alias/x.txt"), bytes("x"));
    expect(await readFile(join(folder, "real/x.txt"), "utf8")).toBe("x");
    await expect(sandbox.readFile(join(folder, "other"))).rejects.toMatchObject({ code: "EPERM" });
    await expect(sandbox.readFile(`${join(folder, "real")}-not`)).rejects.toMatchObject({ code: "EPERM" });
  });

  test("must be a folder that exists", async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, "file"), "");
    await expect(local({ cwd: join(folder, "missing") })).rejects.toMatchObject({ code: "ENOENT" });
    await expect(local({ cwd: join(folder, "file") })).rejects.toMatchObject({ code: "ENOTDIR" });
  });
});

test("every refusal says what was wrong and what to do next", async () => {
  const { sandbox } = await openLocal();
  await sandbox.mkdir("dir");
  const refusals = [
    sandbox.readFile("missing"),
    sandbox.readFile("dir"),
    sandbox.list("../elsewhere"),
    sandbox.readFile("a\0b"),
    sandbox.readFile("n".repeat(300)),
  ];
  for (const refusal of await Promise.allSettled(refusals)) {
    const { reason } = refusal as PromiseRejectedResult;
    expect(reason.message).toMatch(/^".+" .+\.$/s);
    expect(reason.hint).toMatch(/\.$/);
    expect(reason.message.length).toBeLessThan(500);
  }
});

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
