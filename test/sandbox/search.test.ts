import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { GlobQuery, GrepQuery } from "../../src/core/sandbox.ts";
import { globFiles, grepFiles, type SearchFs } from "../../src/sandbox/search/index.ts";

/** The plainest file system there is: the disk. */
const disk: SearchFs = {
  list: async (path) =>
    (await readdir(path, { withFileTypes: true })).map((entry) => ({
      name: entry.name,
      type: entry.isSymbolicLink() ? "symlink" : entry.isDirectory() ? "dir" : entry.isFile() ? "file" : "other",
    })),
  readFile: (path) => readFile(path),
  stat: async (path) => {
    const found = await stat(path);
    return { type: found.isDirectory() ? "dir" : "file", size: found.size, mtimeMs: found.mtimeMs, mode: found.mode };
  },
};

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function folderWith(files: Record<string, string | Uint8Array>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "haft-search-"));
  folders.push(folder);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}

const glob = (cwd: string, query: GlobQuery) => globFiles(disk, query, { cwd });
const grep = (cwd: string, query: GrepQuery) => grepFiles(disk, query, { cwd });
const found = async (cwd: string, pattern: string, path?: string) => (await glob(cwd, { pattern, path })).files;
const hits = async (cwd: string, query: GrepQuery) =>
  (await grep(cwd, query)).lines.map((line) => `${line.path}:${line.line}`);

describe("glob", () => {
  let cwd: string;
  beforeAll(async () => {
    cwd = await folderWith({
      "a.ts": "",
      "b.js": "",
      ".hidden/x.ts": "",
      "src/a.ts": "",
      "src/deep/er/b.ts": "",
      "src/deep/er/b.test.ts": "",
      "src/[id].ts": "",
      "src/😀.ts": "",
      ".git/config.ts": "",
      "src/.git": "gitdir: elsewhere",
      "docs/readme.md": "",
    });
    await symlink(join(cwd, "src"), join(cwd, "link"));
    await symlink("/etc/passwd", join(cwd, "passwd.ts"));
  });

  test("without a slash it matches at any depth, hidden folders too, never .git, never a link", async () => {
    expect(await found(cwd, "*.ts")).toEqual([
      ".hidden/x.ts",
      "a.ts",
      "src/[id].ts",
      "src/a.ts",
      "src/deep/er/b.test.ts",
      "src/deep/er/b.ts",
      "src/😀.ts",
    ]);
  });

  test.each([
    ["src/*.ts", ["src/[id].ts", "src/a.ts", "src/😀.ts"]],
    ["./src/a.ts", ["src/a.ts"]],
    ["src/**/*.ts", ["src/[id].ts", "src/a.ts", "src/deep/er/b.test.ts", "src/deep/er/b.ts", "src/😀.ts"]],
    ["src/**/er/**/b.*", ["src/deep/er/b.test.ts", "src/deep/er/b.ts"]],
    ["src/deep/**", ["src/deep/er/b.test.ts", "src/deep/er/b.ts"]],
    ["src/deep/", ["src/deep/er/b.test.ts", "src/deep/er/b.ts"]],
    ["*/a.ts", ["src/a.ts"]],
    ["?.{ts,js}", [".hidden/x.ts", "a.ts", "b.js", "src/a.ts", "src/deep/er/b.ts", "src/😀.ts"]],
    ["{docs,src/{x,deep}/er}/*.{md,test.ts}", ["docs/readme.md", "src/deep/er/b.test.ts"]],
    ["[b-w].?s", ["b.js", "src/deep/er/b.ts"]],
    ["src/[!a].ts", ["src/😀.ts"]],
    ["src/\\[id\\].ts", ["src/[id].ts"]],
    ["src/[[]id].ts", ["src/[id].ts"]],
    ["src/[id", []],
    ["nothing/**", []],
  ])("%s", async (pattern, expected) => {
    expect(await found(cwd, pattern)).toEqual(expected);
  });

  test("starts at `path`, and takes an absolute pattern below it", async () => {
    expect(await found(cwd, "*.ts", "src/deep")).toEqual(["er/b.test.ts", "er/b.ts"]);
    expect(await found(cwd, `${cwd}/src/deep/**`, "src")).toEqual(["deep/er/b.test.ts", "deep/er/b.ts"]);
    expect(await found(cwd, "*", ".git")).toEqual([]);
  });

  test("counts all and keeps the first", async () => {
    expect(await glob(cwd, { pattern: "*.ts", limit: 2 })).toEqual({ files: [".hidden/x.ts", "a.ts"], total: 7 });
  });

  test.each(["../*.ts", "src/../*", "/etc/*", "", "{a,b}".repeat(11)])("refuses %j", async (pattern) => {
    await expect(glob(cwd, { pattern })).rejects.toMatchObject({ code: "EINVAL" });
  });

  test("refuses a start that is a file, or that is not there", async () => {
    await expect(glob(cwd, { pattern: "*", path: "a.ts" })).rejects.toMatchObject({ code: "ENOTDIR" });
    await expect(glob(cwd, { pattern: "*", path: "gone" })).rejects.toMatchObject({ code: "ENOENT" });
    await expect(glob(cwd, { pattern: "*", path: "a/".repeat(50_000) })).rejects.toMatchObject({
      code: "ENAMETOOLONG",
    });
  });

  test("patterns made to hang a backtracking engine return at once", async () => {
    const long = "a".repeat(200);
    const folder = await folderWith({ [`${"a/".repeat(60)}${long}`]: "", [long]: "" });
    const started = performance.now();
    expect(await found(folder, `${"*a".repeat(60)}b`)).toEqual([]);
    expect(await found(folder, `${"**/a/".repeat(20)}${"*a".repeat(30)}b`)).toEqual([]);
    expect(await found(folder, "[a-".repeat(300))).toEqual([]);
    expect(performance.now() - started).toBeLessThan(3000);
  });
});

describe(".gitignore", () => {
  test("is read in every folder, the deepest first", async () => {
    const cwd = await folderWith({
      ".gitignore": "*.log\nnode_modules/\n/only-here.txt\nbuild\n!keep.log\n",
      "a.log": "",
      "keep.log": "",
      "only-here.txt": "",
      "sub/only-here.txt": "",
      "node_modules/x/index.js": "",
      "sub/node_modules/y.js": "",
      "build/out.js": "",
      "sub/.gitignore": "!*.log\nsecret*\n",
      "sub/b.log": "",
      "sub/secret.txt": "",
      "sub/deeper/.gitignore": "!secret.txt\n",
      "sub/deeper/secret.txt": "",
      "UPPER.LOG": "",
    });
    expect(await found(cwd, "*")).toEqual([
      ".gitignore",
      "UPPER.LOG",
      "keep.log",
      "sub/.gitignore",
      "sub/b.log",
      "sub/deeper/.gitignore",
      "sub/deeper/secret.txt",
      "sub/only-here.txt",
    ]);
    expect(await found(cwd, "*", "sub")).toContain("b.log");
    expect(await found(cwd, "*", "sub/deeper")).toEqual([".gitignore", "secret.txt"]);
  });

  test("does not hide a folder that was named on purpose", async () => {
    const cwd = await folderWith({ ".gitignore": "node_modules\n", "node_modules/x/index.js": "needle" });
    expect(await found(cwd, "*.js", "node_modules/x")).toEqual(["index.js"]);
    expect(await hits(cwd, { pattern: "needle", path: "node_modules" })).toEqual(["node_modules/x/index.js:1"]);
    expect(await hits(cwd, { pattern: "needle" })).toEqual([]);
  });

  test("agrees with git", async () => {
    const cwd = await folderWith({
      ".gitignore": "out\n*.tmp\n/a/*\n!/a/keep\nfoo/**/bar\n*.[oa]\n\\#x\n",
      "mid/.gitignore": "!out\n!c.tmp\n",
      "mid/out/x.ts": "",
      "mid/out/y.tmp": "",
      "mid/c.tmp": "",
      "out/z.ts": "",
      "a/drop": "",
      "a/keep": "",
      "a/sub/x": "",
      "foo/bar": "",
      "foo/1/2/bar/x": "",
      "lib.o": "",
      "#x": "",
      "mid/deep/.gitignore": "*\n!.gitignore\n!ok\n",
      "mid/deep/ok": "",
      "mid/deep/no": "",
    });
    const git = (...args: string[]) => execFileSync("git", args, { cwd, encoding: "utf8" });
    git("init", "-q");
    const expected = git(
      "-c",
      "core.excludesFile=/dev/null",
      "ls-files",
      "-z",
      "--cached",
      "--others",
      "--exclude-standard",
    )
      .split("\0")
      .filter(Boolean)
      .sort();
    expect(expected).toContain("mid/out/x.ts");
    expect(await found(cwd, "*")).toEqual(expected);
  });

  test("cannot stop the host with costly lines", async () => {
    const name = "a".repeat(250);
    const cwd = await folderWith({
      ".gitignore": `${`${"*a".repeat(40)}b\n`.repeat(1000)}${"*a*a*b\n".repeat(1000)}`,
      [name]: "",
    });
    const started = performance.now();
    expect(await found(cwd, "a*")).toEqual([name]);
    expect(performance.now() - started).toBeLessThan(5000);
  });
});

describe("grep", () => {
  let cwd: string;
  beforeAll(async () => {
    cwd = await folderWith({
      ".gitignore": "ignored\n",
      "a.txt": "one\ntwo needle\nthree\nfour\nneedle five\nsix needle\nseven\n",
      "b/crlf.txt": "alpha\r\nbeta needle\r\ngamma\r\n",
      "b/bom.txt": "\uFEFFneedle first\nlast",
      "c.bin": Buffer.concat([Buffer.from("needle\0"), Buffer.alloc(100)]),
      "d.txt": `${"x".repeat(499)}😀 needle ${"y".repeat(100)}\n`,
      "e.txt": "start {\n  middle\n} end\nother start {\n}\n",
      "latin1.txt": Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x20, 0x6f, 0x6b, 0x0a]),
      ignored: "needle",
    });
  });

  test("gives path, line and text of what matches, and counts by file", async () => {
    const result = await grep(cwd, { pattern: "needle" });
    expect(result.files).toEqual([
      { path: "a.txt", count: 3 },
      { path: "b/bom.txt", count: 1 },
      { path: "b/crlf.txt", count: 1 },
      { path: "d.txt", count: 1 },
    ]);
    expect(result).toMatchObject({ total: 6, timedOut: false, filesSearched: 7 });
    expect(result.lines[0]).toEqual({ path: "a.txt", line: 2, text: "two needle", match: true });
    expect(result.lines.find((line) => line.path === "b/bom.txt")?.text).toBe("needle first");
    expect(result.lines.find((line) => line.path === "b/crlf.txt")?.text).toBe("beta needle");
    expect(result.lines.find((line) => line.path === "d.txt")?.text).toBe(`${"x".repeat(499)}… [+110 chars]`);
  });

  test.each<[GrepQuery, string[]]>([
    [{ pattern: "^needle" }, ["a.txt:5", "b/bom.txt:1"]],
    [{ pattern: "needle$" }, ["a.txt:2", "a.txt:6", "b/crlf.txt:2"]],
    [{ pattern: "NEEDLE$" }, []],
    [{ pattern: "NEEDLE$", ignoreCase: true }, ["a.txt:2", "a.txt:6", "b/crlf.txt:2"]],
    [{ pattern: "NEEDLE F", ignoreCase: true, literal: true }, ["a.txt:5", "b/bom.txt:1"]],
    [{ pattern: "t {", literal: true }, ["e.txt:1", "e.txt:4"]],
    [{ pattern: "t(w|hre)[oe]+\\b" }, ["a.txt:2", "a.txt:3"]],
    [{ pattern: "needle", glob: "*.txt", path: "b" }, ["b/bom.txt:1", "b/crlf.txt:2"]],
    [{ pattern: "needle", glob: "b/*", path: "." }, ["b/bom.txt:1", "b/crlf.txt:2"]],
    [{ pattern: "needle", path: "a.txt" }, ["a.txt:2", "a.txt:5", "a.txt:6"]],
    [{ pattern: "needle", limit: 2, offset: 2 }, ["a.txt:6", "b/bom.txt:1"]],
    [{ pattern: "middle.*end", multiline: true }, ["e.txt:2", "e.txt:3"]],
    [{ pattern: "\\{\\n", multiline: true }, ["e.txt:1", "e.txt:4"]],
    [{ pattern: "needle\ngamma", multiline: true, literal: true }, ["b/crlf.txt:2", "b/crlf.txt:3"]],
    [{ pattern: "^\\}.*$", multiline: true, path: "e.txt" }, ["e.txt:3", "e.txt:4", "e.txt:5"]],
    [{ pattern: "caf. ok" }, ["latin1.txt:1"]],
    [{ pattern: "x*", path: "e.txt" }, ["e.txt:1", "e.txt:2", "e.txt:3", "e.txt:4", "e.txt:5"]],
    [{ pattern: "x*", path: "e.txt", multiline: true }, ["e.txt:1", "e.txt:2", "e.txt:3", "e.txt:4", "e.txt:5"]],
  ])("%o", async (query, expected) => {
    expect(await hits(cwd, query)).toEqual(expected);
  });

  test("context lines come once, and are no matches", async () => {
    const { lines, total } = await grep(cwd, { pattern: "needle", path: "a.txt", before: 1, after: 1 });
    expect(lines.map((line) => `${line.line}${line.match ? "!" : ""}`)).toEqual(["1", "2!", "3", "4", "5!", "6!", "7"]);
    expect(total).toBe(3);
    const limited = await grep(cwd, { pattern: "needle", path: "a.txt", after: 1, limit: 1, offset: 1 });
    expect(limited.lines.map((line) => `${line.line}${line.match ? "!" : ""}`)).toEqual(["5!", "6"]);
    expect(limited.total).toBe(3);
  });

  test.each([
    ["(?=a)", /Look-ahead/],
    ["(?<!a)b", /look-behind/],
    ["(a)\\1", /Back-references/],
    ["a(", /missing closing \)/],
    ["[z-a]", /range/],
    ["(a{100}){100}", /repeat count/],
    ["(x{900}|y{900})", /too large/],
    ["one\\ntwo", /line end/],
  ])("refuses %s and says why", async (pattern, message) => {
    const refusal = grep(cwd, { pattern });
    await expect(refusal).rejects.toMatchObject({
      code: "GREP_PATTERN_INVALID",
      message: expect.stringMatching(message),
    });
    await expect(refusal).rejects.toHaveProperty("hint", expect.any(String));
  });

  test("a path that is not there is an error, not an empty answer", async () => {
    await expect(grep(cwd, { pattern: "x", path: "gone" })).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("stops at its deadline, and when it is aborted", async () => {
    const folder = await folderWith(
      Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`${n}.txt`, "needle line\n".repeat(20_000)])),
    );
    const result = await grep(folder, { pattern: "n[e]+dle.*line", timeoutMs: 100 });
    expect(result.timedOut).toBe(true);
    expect(result.filesSearched).toBeLessThan(200);

    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error("enough")), 50);
    await expect(grep(folder, { pattern: "n[e]+dle.*line", abortSignal: controller.signal })).rejects.toThrow("enough");
  });

  test("leaves the event loop free, also with a hard pattern on one long line", async () => {
    const folder = await folderWith({
      "long.txt": `${"abbabaab".repeat(400_000)}c`,
    });
    let longest = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 5);
    await grep(folder, { pattern: "(a|b)*a(a|b){300}c" });
    clearInterval(timer);
    expect(longest).toBeLessThan(2000);
  });
});

test("walks 5,000 files, and deep folders, without trouble", async () => {
  const files: Record<string, string> = {};
  for (let n = 0; n < 5000; n++)
    files[`dir${n % 50}/sub${n % 7}/file${n}.${n % 5 ? "ts" : "md"}`] =
      `${"some text in a line\n".repeat(204)}mark${n}\n`;
  const cwd = await folderWith(files);
  const started = performance.now();
  const { total } = await glob(cwd, { pattern: "*.md" });
  const plain = await grep(cwd, { pattern: "mark4999" });
  const regex = await grep(cwd, { pattern: "mark\\d*99$" });
  expect(performance.now() - started).toBeLessThan(15_000);
  expect(total).toBe(1000);
  expect(plain.files).toEqual([{ path: `dir${4999 % 50}/sub${4999 % 7}/file4999.ts`, count: 1 }]);
  expect(regex.total).toBe(50);
});
