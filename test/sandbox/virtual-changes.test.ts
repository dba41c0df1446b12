import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  unlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { codeOf } from "../../src/base/errors.ts";
import type { Changes, Sandbox } from "../../src/core/sandbox.ts";
import { local } from "../../src/sandbox/local/index.ts";
import { virtual } from "../../src/sandbox/virtual/index.ts";

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function folderWith(files: Record<string, string> = {}): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "haft-changes-")));
  folders.push(folder);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}

async function overlay(files: Record<string, string>): Promise<{ host: string; sandbox: Sandbox }> {
  const host = await folderWith(files);
  return { host, sandbox: await virtual({ cwd: host }) };
}

const bytes = (content: string) => Buffer.from(content);
const asText = (content: Uint8Array | null) => (content === null ? null : Buffer.from(content).toString());
const short = (changes: Changes) =>
  changes.files.map(({ path, type, before, after }) => [path, type, asText(before), asText(after)]);

/** Every file below a folder, with its content. */
async function contents(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const pairs = await Promise.all(
    files.map(async (file) => [file.slice(folder.length + 1), await readFile(file, "utf8")]),
  );
  return Object.fromEntries(pairs.sort());
}

async function conflict(changes: Changes): Promise<string[]> {
  const thrown = await changes.apply().then(
    () => undefined,
    (error) => error,
  );
  expect(thrown).toMatchObject({ code: "SANDBOX_CONFLICT" });
  return thrown.data.files;
}

describe("diff", () => {
  test("gives what was created, modified and deleted, with the bytes", async () => {
    const { sandbox } = await overlay({
      "a.txt": "a",
      "b.txt": "b",
      "c.txt": "c",
      "dir/d.txt": "d",
      "same.txt": "same",
    });
    await sandbox.writeFile("a.txt", bytes("A"));
    await sandbox.remove("b.txt");
    await sandbox.rename("dir", "moved");
    await sandbox.writeFile("same.txt", bytes("other"));
    await sandbox.writeFile("same.txt", bytes("same"));
    await sandbox.writeFile("gone.txt", bytes("x"));
    await sandbox.remove("gone.txt");
    await sandbox.exec(
      "touch c.txt; mkdir empty; ln -s a.txt link; printf 'x' > new.sh; chmod 755 new.sh; echo out > /tmp/elsewhere",
    );
    const changes = await sandbox.diff!();
    expect(short(changes)).toEqual([
      ["a.txt", "modified", "a", "A"],
      ["b.txt", "deleted", "b", null],
      ["dir/d.txt", "deleted", "d", null],
      ["moved/d.txt", "created", null, "d"],
      ["new.sh", "created", null, "x"],
    ]);
    expect(changes.files.at(-1)?.mode).toBe(0o755);
    await sandbox.dispose();
  });

  test("is empty after no change, and its bytes are its own", async () => {
    const { sandbox } = await overlay({ "a.txt": "a" });
    expect((await sandbox.diff!()).files).toEqual([]);
    await sandbox.writeFile("a.txt", bytes("A"));
    const changes = await sandbox.diff!();
    await sandbox.exec("echo more >> a.txt");
    changes.files[0]!.after!.fill(66);
    expect(Buffer.from(await sandbox.readFile("a.txt")).toString()).toBe("Amore\n");
    await sandbox.dispose();
  });
});

describe("apply", () => {
  test("writes, deletes and keeps modes; the sandbox goes on from there", async () => {
    const { host, sandbox } = await overlay({
      "run.sh": "#!/bin/sh\n",
      "b.txt": "b",
      "dir/c.txt": "c",
      "dir/d.txt": "d",
    });
    await chmod(join(host, "run.sh"), 0o750);
    await chmod(join(host, "b.txt"), 0o600);
    await sandbox.writeFile("run.sh", bytes("#!/bin/bash\n"));
    await sandbox.exec(
      "chmod 640 b.txt; rm -r dir; echo deep > x/y/z.txt; printf '#!/bin/sh' > new.sh; chmod +x new.sh",
    );
    expect(await (await sandbox.diff!()).apply()).toEqual({
      written: ["b.txt", "new.sh", "run.sh", "x/y/z.txt"],
      deleted: ["dir/c.txt", "dir/d.txt"],
    });
    expect(await contents(host)).toEqual({
      "b.txt": "b",
      "new.sh": "#!/bin/sh",
      "run.sh": "#!/bin/bash\n",
      "x/y/z.txt": "deep\n",
    });
    const mode = async (path: string) => (await stat(join(host, path))).mode & 0o777;
    expect([await mode("run.sh"), await mode("b.txt"), await mode("new.sh")]).toEqual([0o750, 0o640, 0o755]);
    await expect(lstat(join(host, "dir"))).rejects.toMatchObject({ code: "ENOENT" });

    expect((await sandbox.diff!()).files).toEqual([]);
    await writeFile(join(host, "x/y/z.txt"), "changed on the host");
    await writeFile(join(host, "x/y/more.txt"), "more");
    expect(asText((await sandbox.exec("cat x/y/z.txt x/y/more.txt")).stdout)).toBe("changed on the hostmore");
    await sandbox.writeFile("x/y/z.txt", bytes("again"));
    await (await sandbox.diff!()).apply();
    expect(await readFile(join(host, "x/y/z.txt"), "utf8")).toBe("again");
    await sandbox.dispose();
  });

  test("works after dispose, and a second time", async () => {
    const { host, sandbox } = await overlay({ "a.txt": "a", "b.txt": "b" });
    await sandbox.writeFile("a.txt", bytes("A"));
    await sandbox.remove("b.txt");
    const changes = await sandbox.diff!();
    await sandbox.dispose();
    await changes.apply();
    await changes.apply();
    expect(await contents(host)).toEqual({ "a.txt": "A" });
  });

  test("does not take along what came after the diff", async () => {
    const { host, sandbox } = await overlay({ "a.txt": "a", "src/b.txt": "b" });
    await sandbox.writeFile("a.txt", bytes("A"));
    await sandbox.writeFile("c.txt", bytes("C"));
    await sandbox.rename("src/b.txt", "moved.txt");
    const changes = await sandbox.diff!();
    await sandbox.writeFile("a.txt", bytes("later"));
    await sandbox.remove("c.txt");
    await sandbox.rename("moved.txt", "moved-again.txt");
    await changes.apply();
    expect(await contents(host)).toEqual({ "a.txt": "A", "c.txt": "C", "moved.txt": "b" });
    expect(short(await sandbox.diff!())).toEqual([
      ["a.txt", "modified", "A", "later"],
      ["c.txt", "deleted", "C", null],
      ["moved-again.txt", "created", null, "b"],
      ["moved.txt", "deleted", "b", null],
    ]);
    await (await sandbox.diff!()).apply();
    expect(await contents(host)).toEqual({ "a.txt": "later", "moved-again.txt": "b" });
    await sandbox.dispose();
  });

  test("turns a file into a folder, a folder into a file, and a link into a file", async () => {
    const { host, sandbox } = await overlay({ file: "f", "folder/x/y.txt": "y", "target.txt": "t" });
    await symlink("target.txt", join(host, "link"));
    await sandbox.exec(
      "rm file; mkdir file; echo in > file/in.txt; rm -r folder; echo flat > folder; rm link; echo own > link",
    );
    await (await sandbox.diff!()).apply();
    expect(await contents(host)).toEqual({ "file/in.txt": "in\n", folder: "flat\n", link: "own\n", "target.txt": "t" });
    expect((await lstat(join(host, "link"))).isSymbolicLink()).toBe(false);
    await sandbox.dispose();
  });

  test("leaves what the sandbox never saw in a folder that it removed", async () => {
    const { host, sandbox } = await overlay({ "dir/a.txt": "a" });
    await sandbox.remove("dir", { recursive: true });
    await writeFile(join(host, "dir/late.txt"), "late");
    await (await sandbox.diff!()).apply();
    expect(await contents(host)).toEqual({ "dir/late.txt": "late" });
    await sandbox.dispose();
  });
});

describe("a conflict refuses the whole", () => {
  const prepare = () => overlay({ "a.txt": "a", "b.txt": "b", "dir/c.txt": "c", "ok.txt": "ok" });
  const edit = async (sandbox: Sandbox) => {
    await sandbox.writeFile("a.txt", bytes("A"));
    await sandbox.remove("b.txt");
    await sandbox.writeFile("new.txt", bytes("N"));
    await sandbox.remove("dir", { recursive: true });
    await sandbox.writeFile("ok.txt", bytes("OK"));
  };

  const twoAtOnce = async (host: string) => {
    await writeFile(join(host, "a.txt"), "x");
    await writeFile(join(host, "new.txt"), "x");
  };
  const fileToFolder = async (host: string) => {
    await unlink(join(host, "a.txt"));
    await mkdir(join(host, "a.txt"));
  };
  const fileToLink = async (host: string) => {
    await rename(join(host, "a.txt"), join(host, "z"));
    await symlink("z", join(host, "a.txt"));
  };

  test.each<[string, (host: string) => Promise<void>, string[]]>([
    ["a modified file was modified", (host) => writeFile(join(host, "a.txt"), "x"), ["a.txt"]],
    ["a modified file is gone", (host) => unlink(join(host, "a.txt")), ["a.txt"]],
    ["a deleted file was modified", (host) => writeFile(join(host, "b.txt"), "x"), ["b.txt"]],
    [
      "a file below a deleted folder was modified",
      (host) => writeFile(join(host, "dir/c.txt"), "longer"),
      ["dir/c.txt"],
    ],
    ["a created file exists now", (host) => writeFile(join(host, "new.txt"), "x"), ["new.txt"]],
    ["two at once", twoAtOnce, ["a.txt", "new.txt"]],
    ["a file became a folder", fileToFolder, ["a.txt"]],
    ["a file became a link", fileToLink, ["a.txt"]],
  ])("when %s, before the diff and after it", async (_, meddle, named) => {
    for (const isBefore of [true, false]) {
      const { host, sandbox } = await prepare();
      await edit(sandbox);
      if (isBefore) await meddle(host);
      const changes = await sandbox.diff!();
      if (!isBefore) await meddle(host);
      const before = await contents(host);
      expect(await conflict(changes)).toEqual(named);
      expect(await contents(host)).toEqual(before);
      await sandbox.dispose();
    }
  });

  test("but not when the host's file is the same again, was only touched, or has what would be written", async () => {
    const { host, sandbox } = await prepare();
    await edit(sandbox);
    await utimes(join(host, "a.txt"), new Date(), new Date(Date.now() + 5000));
    await writeFile(join(host, "b.txt"), "x");
    await writeFile(join(host, "b.txt"), "b");
    await writeFile(join(host, "new.txt"), "N");
    await (await sandbox.diff!()).apply();
    expect(await contents(host)).toEqual({ "a.txt": "A", "new.txt": "N", "ok.txt": "OK" });
    await sandbox.dispose();
  });

  test("and never follows a link that came in the way", async () => {
    const outside = await folderWith({ "c.txt": "c", "keep.txt": "keep" });
    const { host, sandbox } = await overlay({ "dir/c.txt": "c", "other.txt": "o" });
    await sandbox.writeFile("dir/c.txt", bytes("C"));
    await sandbox.writeFile("dir/new.txt", bytes("N"));
    await sandbox.writeFile("other.txt", bytes("O"));
    const changes = await sandbox.diff!();
    await rename(join(host, "dir"), join(host, "away"));
    await symlink(outside, join(host, "dir"));
    expect(await conflict(changes)).toEqual(["dir/c.txt", "dir/new.txt"]);
    expect(await conflict(await sandbox.diff!())).toEqual(["dir/c.txt", "dir/new.txt"]);
    expect(await contents(outside)).toEqual({ "c.txt": "c", "keep.txt": "keep" });
    expect(await readFile(join(host, "other.txt"), "utf8")).toBe("o");
    await sandbox.dispose();
  });
});

const isNotIntoItself = ({ path, to }: { path: string; to: string }) => !to.startsWith(`${path}/`);

test("any series of changes ends on the host as if it had been made there", { timeout: 60_000 }, async () => {
  const start = { a: "a", "b/x": "x", "b/y": "y", "c/d/e": "e" };
  const path = fc.constantFrom("a", "b", "b/x", "b/y", "b/z", "c", "c/d", "c/d/e", "f", "f/g", "a/h");
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ type: fc.constant("write" as const), path, text: fc.string({ maxLength: 3 }) }),
    },
    { weight: 2, arbitrary: fc.record({ type: fc.constant("remove" as const), path, recursive: fc.boolean() }) },
    {
      weight: 4,
      arbitrary: fc.record({ type: fc.constant("rename" as const), path, to: path }).filter(isNotIntoItself),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("mkdir" as const), path }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("apply" as const) }) },
  );
  type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

  const take = async (sandbox: Sandbox, next: Step): Promise<string | undefined> => {
    try {
      if (next.type === "write") await sandbox.writeFile(next.path, bytes(next.text));
      if (next.type === "remove") await sandbox.remove(next.path, { recursive: next.recursive });
      if (next.type === "rename") await sandbox.rename(next.path, next.to);
      if (next.type === "mkdir") await sandbox.mkdir(next.path);
      return undefined;
    } catch (error) {
      return codeOf(error);
    }
  };

  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const { host, sandbox } = await overlay(start);
      const mirror = await folderWith(start);
      const real = await local({ cwd: mirror });
      for (const next of steps) {
        if (next.type === "apply") {
          await (await sandbox.diff!()).apply();
          expect(await contents(host)).toEqual(await contents(mirror));
        } else {
          expect([next, await take(sandbox, next)]).toEqual([next, await take(real, next)]);
        }
      }
      const seen = await sandbox.glob({ pattern: "**" });
      expect(seen.files).toEqual(Object.keys(await contents(mirror)));
      await (await sandbox.diff!()).apply();
      expect(await contents(host)).toEqual(await contents(mirror));
      expect((await sandbox.diff!()).files).toEqual([]);
      await sandbox.dispose();
      await real.dispose();
    }),
    { numRuns: 80 },
  );
});
