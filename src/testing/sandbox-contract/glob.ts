/** Files are found by name, the same way in every sandbox. */
import assert from "node:assert/strict";
import type { GlobQuery } from "../../core/sandbox.ts";
import { assertRefused, type Bench, type ContractCase } from "./case.ts";

const TREE = {
  "a.ts": "",
  "b.js": "",
  "src/c.ts": "",
  "src/deep/d.ts": "",
  "src/deep/e.tsx": "",
  ".config/f.ts": "",
  "with space/g [1].ts": "",
};

export const globCases: ContractCase[] = [
  {
    name: "glob: a pattern without a slash matches at any depth, hidden folders too",
    async run(bench) {
      await bench.given(TREE);
      const all = [".config/f.ts", "a.ts", "src/c.ts", "src/deep/d.ts", "with space/g [1].ts"];
      assert.deepEqual(await found(bench, { pattern: "*.ts" }), all);
      assert.deepEqual(await found(bench, { pattern: "d.ts" }), ["src/deep/d.ts"]);
    },
  },
  {
    name: "glob: a pattern with a slash is taken from where the search starts",
    async run(bench) {
      await bench.given(TREE);
      assert.deepEqual(await found(bench, { pattern: "src/*.ts" }), ["src/c.ts"]);
      assert.deepEqual(await found(bench, { pattern: "src/**/*.ts" }), ["src/c.ts", "src/deep/d.ts"]);
      assert.deepEqual(await found(bench, { pattern: "**/deep/*" }), ["src/deep/d.ts", "src/deep/e.tsx"]);
      assert.deepEqual(await found(bench, { pattern: "src/**" }), ["src/c.ts", "src/deep/d.ts", "src/deep/e.tsx"]);
    },
  },
  {
    name: "glob: ?, [a-z] and {a,b}",
    async run(bench) {
      await bench.given(TREE);
      assert.deepEqual(await found(bench, { pattern: "?.js" }), ["b.js"]);
      assert.deepEqual(await found(bench, { pattern: "[a-c].ts" }), ["a.ts", "src/c.ts"]);
      assert.deepEqual(await found(bench, { pattern: "*.{js,tsx}" }), ["b.js", "src/deep/e.tsx"]);
      assert.deepEqual(await found(bench, { pattern: "{a,src/c}.ts" }), ["a.ts", "src/c.ts"]);
    },
  },
  {
    name: "glob: results are relative to the folder that is searched",
    async run(bench) {
      await bench.given(TREE);
      assert.deepEqual(await found(bench, { pattern: "*.ts", path: "src" }), ["c.ts", "deep/d.ts"]);
      const absolute = `${bench.sandbox.cwd}/src/deep`;
      assert.deepEqual(await found(bench, { pattern: "*", path: absolute }), ["d.ts", "e.tsx"]);
    },
  },
  {
    name: "glob: .git never, and what .gitignore names neither",
    async run(bench) {
      await bench.given({
        ".git/index": "",
        "sub/.git/index": "",
        ".gitignore": "*.log\n/build/\n!kept.log\n",
        "a.log": "",
        "kept.log": "",
        "build/out.txt": "",
        "sub/build/in.txt": "",
        "sub/.gitignore": "local.txt\n",
        "sub/local.txt": "",
        "local.txt": "",
      });
      const expected = [".gitignore", "kept.log", "local.txt", "sub/.gitignore", "sub/build/in.txt"];
      assert.deepEqual(await found(bench, { pattern: "**" }), expected);
    },
  },
  {
    name: "glob: gives files only, and follows no symlinked folder",
    async run(bench) {
      await bench.given({ "real/x.txt": "" });
      await bench.sandbox.mkdir("empty.txt");
      await bench.link("loop", ".");
      assert.deepEqual(await found(bench, { pattern: "*.txt" }), ["real/x.txt"]);
    },
  },
  {
    name: "glob: limit cuts the sorted list, and total counts all",
    async run(bench) {
      const names = Array.from({ length: 30 }, (_, index) => `f${String(index).padStart(2, "0")}.txt`);
      await bench.given(Object.fromEntries(names.map((name) => [name, ""])));
      const result = await bench.sandbox.glob({ pattern: "*.txt", limit: 10 });
      assert.deepEqual(result, { files: names.slice(0, 10), total: 30 });
      assert.deepEqual(await bench.sandbox.glob({ pattern: "*.none" }), { files: [], total: 0 });
    },
  },
  {
    name: "glob: a place that is not there, or no folder, is an error",
    async run(bench) {
      await bench.given({ "file.txt": "" });
      await assertRefused(bench.sandbox.glob({ pattern: "*", path: "missing" }), "ENOENT");
      await assertRefused(bench.sandbox.glob({ pattern: "*", path: "file.txt" }), "ENOTDIR");
    },
  },
];

async function found(bench: Bench, query: GlobQuery): Promise<string[]> {
  const result = await bench.sandbox.glob(query);
  assert.equal(result.total, result.files.length);
  return result.files;
}
