import { execFileSync } from "node:child_process";
import {
  chmod,
  link,
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  unlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Sandbox } from "../../src/core/sandbox.ts";
import { type VirtualOptions, virtual } from "../../src/sandbox/virtual/index.ts";

const folders: string[] = [];
const sandboxes: Sandbox[] = [];
afterAll(async () => {
  await Promise.all(sandboxes.map((sandbox) => sandbox.dispose()));
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
});

async function folderWith(files: Record<string, string> = {}): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "haft-virtual-")));
  folders.push(folder);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}

async function open(options: VirtualOptions): Promise<Sandbox> {
  const sandbox = await virtual(options);
  sandboxes.push(sandbox);
  return sandbox;
}

const text = async (sandbox: Sandbox, path: string) => Buffer.from(await sandbox.readFile(path)).toString();
const shell = async (sandbox: Sandbox, script: string) => {
  const { stdout, stderr, exitCode } = await sandbox.exec(script);
  return { out: Buffer.from(stdout).toString(), err: Buffer.from(stderr).toString(), exitCode };
};
const bytes = (content: string) => Buffer.from(content);

describe("an overlay", () => {
  test("shows the host folder as /workspace, and keeps every write away from it", async () => {
    const host = await folderWith({ "a.txt": "one", "src/b.txt": "two", "src/deep/c.txt": "three" });
    const sandbox = await open({ cwd: host });
    expect(sandbox.cwd).toBe("/workspace");
    expect(sandbox.summary).toBe(
      `virtual overlay of ${host}: a simulated shell; writes are held back until you apply them`,
    );

    await sandbox.writeFile("a.txt", bytes("changed"));
    await sandbox.writeFile("new/d.txt", bytes("new"));
    await sandbox.rename("src/b.txt", "src/moved.txt");
    await sandbox.remove("src/deep", { recursive: true });
    await shell(sandbox, "echo more >> a.txt; chmod +x src/moved.txt; mkdir empty; ln -s a.txt link");

    expect(await text(sandbox, "a.txt")).toBe("changedmore\n");
    expect(await text(sandbox, "link")).toBe("changedmore\n");
    expect((await sandbox.list(".")).map(({ name, type }) => `${name} ${type}`)).toEqual([
      "a.txt file",
      "empty dir",
      "link symlink",
      "new dir",
      "src dir",
    ]);
    expect((await sandbox.list("src")).map((entry) => entry.name)).toEqual(["moved.txt"]);
    expect((await sandbox.stat("src/moved.txt")).mode).toBe(0o755);
    expect((await shell(sandbox, "cat a.txt src/moved.txt; ls src; cat src/deep/c.txt")).out).toBe(
      "changedmore\ntwomoved.txt\n",
    );

    expect(execFileSync("find", [".", "-type", "f"], { cwd: host, encoding: "utf8" }).split("\n").sort()).toEqual([
      "",
      "./a.txt",
      "./src/b.txt",
      "./src/deep/c.txt",
    ]);
    expect(await readFile(join(host, "a.txt"), "utf8")).toBe("one");
  });

  test("sees what changes on the host, where it has not written itself", async () => {
    const host = await folderWith({ "a.txt": "one", "b.txt": "one" });
    const sandbox = await open({ cwd: host });
    await sandbox.writeFile("b.txt", bytes("mine"));
    await writeFile(join(host, "a.txt"), "two");
    await writeFile(join(host, "b.txt"), "theirs");
    await writeFile(join(host, "c.txt"), "three");
    expect(await text(sandbox, "a.txt")).toBe("two");
    expect(await text(sandbox, "b.txt")).toBe("mine");
    expect((await shell(sandbox, "cat c.txt")).out).toBe("three");
  });

  test("moves and copies whole folders, with what was changed in them", async () => {
    const host = await folderWith({ "lib/a.txt": "a", "lib/sub/b.txt": "b", "lib/sub/c.txt": "c", "other/x.txt": "x" });
    await chmod(join(host, "lib/a.txt"), 0o750);
    const sandbox = await open({ cwd: host });
    await sandbox.writeFile("lib/sub/b.txt", bytes("B"));
    await sandbox.remove("lib/sub/c.txt");
    await sandbox.rename("lib", "moved");
    expect(
      (await shell(sandbox, "cp -r moved copied; mv other moved/in; rm -r moved/sub; find . -type f | sort")).out,
    ).toBe("./copied/a.txt\n./copied/sub/b.txt\n./moved/a.txt\n./moved/in/x.txt\n");
    expect(await text(sandbox, "copied/sub/b.txt")).toBe("B");
    expect(await text(sandbox, "moved/in/x.txt")).toBe("x");
    expect((await sandbox.stat("moved/a.txt")).mode).toBe(0o750);
    await expect(sandbox.stat("lib")).rejects.toMatchObject({ code: "ENOENT" });
    await sandbox.mkdir("lib");
    expect(await sandbox.list("lib")).toEqual([]);
  });

  test("keeps two names of one file together", async () => {
    const sandbox = await open({ cwd: await folderWith({ "a.txt": "one" }) });
    await shell(sandbox, "ln a.txt b.txt; echo two > b.txt");
    expect(await text(sandbox, "a.txt")).toBe("two\n");
    await sandbox.remove("a.txt");
    expect(await text(sandbox, "b.txt")).toBe("two\n");
  });

  test("notices two writes of the same length in one millisecond", async () => {
    const sandbox = await open({});
    await sandbox.writeFile("a", bytes("one"));
    const seen = await sandbox.stat("a");
    await sandbox.writeFile("a", bytes("two"));
    await expect(sandbox.writeFile("a", bytes("six"), { ifMatch: seen })).rejects.toMatchObject({ code: "ESTALE" });
    expect(await text(sandbox, "a")).toBe("two");
  });

  test("is byte-exact, and hands out copies", async () => {
    const all = Uint8Array.from({ length: 256 }, (_, index) => index);
    const sandbox = await open({ cwd: await folderWith() });
    await sandbox.writeFile("all", all);
    all.fill(0);
    const read = await sandbox.readFile("all");
    expect([...read.subarray(250)]).toEqual([250, 251, 252, 253, 254, 255]);
    read.fill(1);
    expect((await sandbox.readFile("all", { offset: 4, length: 2 })).toString()).toBe("4,5");
    expect(
      (await shell(sandbox, "cat all > copy; cmp all copy; wc -c < copy; tail -c 1 copy | od -An")).out.trim(),
    ).toMatch(/256\s+377$/);
  });
});

describe("nothing beside the mounted folder can be read", () => {
  async function trap() {
    const outside = await folderWith({ "secret.txt": "SECRET" });
    const host = await folderWith({ "a.txt": "fine", "dir/b.txt": "fine too" });
    await symlink(join(outside, "secret.txt"), join(host, "absolute"));
    await symlink(join("..", outside.split("/").at(-1)!, "secret.txt"), join(host, "relative"));
    await symlink(outside, join(host, "folder"));
    await symlink("absolute", join(host, "chain"));
    await symlink("dir/../../../../../../../etc/passwd", join(host, "passwd"));
    await symlink(join(host, "dir"), join(host, "inside"));
    await symlink("nowhere", join(host, "dangling"));
    return { outside, host, sandbox: await open({ cwd: host }) };
  }

  test.each(["absolute", "relative", "chain", "folder/secret.txt", "passwd", "folder/../secret.txt"])(
    "%s",
    async (path) => {
      const { sandbox, outside } = await trap();
      await expect(sandbox.readFile(path)).rejects.toMatchObject({ code: expect.stringMatching(/^(EPERM|ENOENT)$/) });
      await expect(
        sandbox.writeFile(path === "folder/../secret.txt" ? "absolute" : path, bytes("x")),
      ).rejects.toMatchObject({ code: "EPERM" });
      const { out } = await shell(
        sandbox,
        `cat ${path}; cp ${path} x; cat x; head ${path}; grep . ${path}; [ -f ${path} ] && echo there`,
      );
      expect(out).toBe("");
      expect(await readFile(join(outside, "secret.txt"), "utf8")).toBe("SECRET");
    },
  );

  test("by the tricks of a shell", async () => {
    const { sandbox, outside } = await trap();
    const secret = join(outside, "secret.txt");
    const { out } = await shell(
      sandbox,
      `cat ${secret} ../../..${secret} /proc/self/root${secret} /proc/1/environ; ln -s ${secret} l; cat l; ln ${secret} h; cat h;
       ln -s / r; cat r${secret}; find -L . -type f | xargs cat | grep SECRET; cp -rL . /tmp/all; grep -r SECRET /tmp/all . ;
       tar cf t.tar folder absolute; tar xf t.tar -C /tmp; cat /tmp/absolute /tmp/folder/secret.txt; rg -L SECRET; ls folder;
       echo "$(< ${secret})"; . ${secret}; bash ${secret}; cd folder && ls; ls -L folder/; diff absolute a.txt; readlink -f folder`,
    );
    expect(out).not.toContain("SECRET");
    expect(out).not.toContain("secret.txt\n");
  });

  test("but a link that stays inside is followed, also an absolute one", async () => {
    const { sandbox } = await trap();
    expect(await text(sandbox, "inside/b.txt")).toBe("fine too");
    expect((await shell(sandbox, "cat inside/b.txt")).out).toBe("fine too");
    await sandbox.writeFile("inside/new.txt", bytes("x"));
    expect(await text(sandbox, "dir/new.txt")).toBe("x");
    const links = (await sandbox.list(".")).filter((entry) => entry.type === "symlink").map((entry) => entry.name);
    expect(links).toEqual(["absolute", "chain", "dangling", "folder", "inside", "passwd", "relative"]);
    expect((await sandbox.stat("folder", { followSymlinks: false })).type).toBe("symlink");
  });

  test("the search finds nothing through links either", async () => {
    const { sandbox } = await trap();
    expect((await sandbox.grep({ pattern: "SECRET" })).total).toBe(0);
    expect((await sandbox.glob({ pattern: "**" })).files).toEqual(["a.txt", "dir/b.txt"]);
    await expect(sandbox.glob({ pattern: "*", path: "folder" })).rejects.toMatchObject({ code: "EPERM" });
    await expect(sandbox.grep({ pattern: "x", path: "/etc" })).rejects.toMatchObject({ code: "EPERM" });
  });

  test("also while a folder of the host is swapped for a link to elsewhere", async () => {
    const outside = await folderWith({ "b.txt": "SECRET" });
    const host = await folderWith({ "dir/b.txt": "fine" });
    const sandbox = await open({ cwd: host });
    const place = join(host, "dir");
    let isDone = false;
    const swapper = (async () => {
      while (!isDone) {
        await rename(place, `${place}.away`);
        await symlink(outside, place);
        await unlink(place);
        await rename(`${place}.away`, place);
      }
    })();
    let fine = 0;
    for (let count = 0; count < 3000; count++) {
      const read = await text(sandbox, "dir/b.txt").catch(() => "refused");
      expect(read).not.toBe("SECRET");
      if (read === "fine") fine++;
      if (count % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    isDone = true;
    await swapper;
    expect(fine).toBeGreaterThan(0);
  });

  test("a pipe or a device is refused, and nothing waits for it", async () => {
    const host = await folderWith();
    execFileSync("mkfifo", [join(host, "pipe")]);
    const sandbox = await open({ cwd: host });
    expect(await sandbox.list(".")).toEqual([{ name: "pipe", type: "other" }]);
    await expect(sandbox.readFile("pipe")).rejects.toMatchObject({ code: "EINVAL" });
    await expect(sandbox.writeFile("pipe", bytes("x"))).rejects.toMatchObject({ code: "EINVAL" });
    expect((await shell(sandbox, "cat pipe")).exitCode).toBe(1);
  });
});

describe("other mounts", () => {
  test("read only: everything is refused in /workspace, and /tmp can be written", async () => {
    const host = await folderWith({ "a.txt": "one", "dir/b.txt": "two" });
    const sandbox = await open({ cwd: host, mount: "ro", files: { "seeded.txt": "from the start" } });
    expect(await text(sandbox, "a.txt")).toBe("one");
    expect(await text(sandbox, "seeded.txt")).toBe("from the start");
    const refused = [
      sandbox.writeFile("a.txt", bytes("x")),
      sandbox.writeFile("new/b.txt", bytes("x")),
      sandbox.mkdir("d"),
      sandbox.remove("a.txt"),
      sandbox.remove("dir", { recursive: true }),
      sandbox.rename("a.txt", "b.txt"),
      sandbox.rename("a.txt", "/tmp/b.txt"),
    ];
    for (const attempt of refused) await expect(attempt).rejects.toMatchObject({ code: "EROFS" });
    const { err, exitCode } = await shell(
      sandbox,
      "touch x; rm a.txt; cp a.txt b.txt; chmod +x a.txt; mkdir d; sed -i s/o/x/ a.txt",
    );
    expect(err.match(/read-only file system/gi)?.length).toBeGreaterThanOrEqual(4);
    expect(exitCode).toBe(1);
    expect(await shell(sandbox, "echo x > a.txt")).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining("read-only file system"),
    });
    expect((await shell(sandbox, "cp a.txt /tmp/a; cat /tmp/a a.txt; ls")).out).toBe("oneonea.txt\ndir\nseeded.txt\n");
    expect(sandbox.diff).toBeUndefined();
    expect(sandbox.capabilities.overlay).toBe(false);
  });

  test("none: an empty /workspace in memory, with the files it was given", async () => {
    const sandbox = await open({ files: { "a/b.txt": "text", "c.bin": new Uint8Array([0, 255]), "/tmp/t": "tmp" } });
    expect(await text(sandbox, "a/b.txt")).toBe("text");
    expect([...(await sandbox.readFile("c.bin"))]).toEqual([0, 255]);
    expect(await text(sandbox, "/tmp/t")).toBe("tmp");
    expect(sandbox.diff).toBeUndefined();
  });

  test.each([
    [{ mount: "overlay" }, "EINVAL"],
    [{ cwd: "/does/not/exist" }, "ENOENT"],
    [{ cwd: "/etc/passwd" }, "ENOTDIR"],
    [{ memoryMb: 1 }, "EINVAL"],
    [{ env: { "A=B": "c" } }, "EINVAL"],
    [{ files: { "../out": "x" } }, "EPERM"],
    [{ files: { "/etc/x": "x" } }, "EPERM"],
  ] satisfies [VirtualOptions, string][])("%j is refused with %s", async (options, code) => {
    await expect(virtual(options)).rejects.toMatchObject({ code });
  });
});

test("what is written is bounded, and a removal gives the space back", async () => {
  const sandbox = await open({ memoryMb: 16 });
  const half = new Uint8Array(8 * 1024 * 1024 - 100_000);
  await sandbox.writeFile("a", half);
  await sandbox.writeFile("b", half);
  await expect(sandbox.writeFile("c", half)).rejects.toMatchObject({
    code: "ENOSPC",
    hint: expect.stringContaining("memoryMb"),
  });
  await sandbox.remove("a");
  await sandbox.writeFile("c", half);
  for (let count = 0; count < 2000; count++) {
    await sandbox.writeFile("small", bytes("x"));
    await sandbox.remove("small");
  }
  for (let count = 0; count < 40; count++) await sandbox.writeFile("b", half);
});

test("paths that are too long are refused at once", async () => {
  const sandbox = await open({});
  const started = performance.now();
  for (const path of ["a/".repeat(50_000), "x".repeat(256), `${"é".repeat(200)}`, "a/".repeat(2100)]) {
    await expect(sandbox.readFile(path)).rejects.toMatchObject({ code: "ENAMETOOLONG" });
    await expect(sandbox.writeFile(path, bytes("x"))).rejects.toMatchObject({ code: "ENAMETOOLONG" });
    const { exitCode } = await sandbox.exec(["cat", path]);
    expect(exitCode).toBe(1);
  }
  expect(performance.now() - started).toBeLessThan(5000);
});

test("a hard-linked file of the host is left alone until it is applied", async () => {
  const host = await folderWith({ "a.txt": "one" });
  await link(join(host, "a.txt"), join(host, "b.txt"));
  const sandbox = await open({ cwd: host });
  await sandbox.writeFile("a.txt", bytes("two"));
  expect(await text(sandbox, "b.txt")).toBe("one");
});
