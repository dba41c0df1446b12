/** Lines are found by content, in linear time, the same way in every sandbox. */
import assert from "node:assert/strict";
import type { GrepQuery } from "../../core/sandbox.ts";
import { assertRefused, type Bench, type ContractCase } from "./case.ts";

const TREE = {
  "a.txt": "alpha\nBeta\ngamma\nbeta again\n",
  "src/b.ts": "const beta = 1;\nconst other = 2;\n",
  "src/c.js": "beta()\n",
};

export const grepCases: ContractCase[] = [
  {
    name: "grep: gives matching lines with path and number, sorted, and counts",
    async run(bench) {
      await bench.given(TREE);
      const result = await bench.sandbox.grep({ pattern: "beta" });
      assert.deepEqual(result.lines, [
        { path: "a.txt", line: 4, text: "beta again", match: true },
        { path: "src/b.ts", line: 1, text: "const beta = 1;", match: true },
        { path: "src/c.js", line: 1, text: "beta()", match: true },
      ]);
      assert.deepEqual(result.files, [
        { path: "a.txt", count: 1 },
        { path: "src/b.ts", count: 1 },
        { path: "src/c.js", count: 1 },
      ]);
      assert.deepEqual([result.total, result.filesSearched, result.timedOut], [3, 3, false]);
    },
  },
  {
    name: "grep: a pattern is a regular expression, or plain text when literal",
    async run(bench) {
      await bench.given({ "x.txt": "a.b(c)\naXb\nnumber 42\n^$[*\n" });
      assert.deepEqual(await matched(bench, { pattern: "a.b" }), ["a.b(c)", "aXb"]);
      assert.deepEqual(await matched(bench, { pattern: "a.b(", literal: true }), ["a.b(c)"]);
      assert.deepEqual(await matched(bench, { pattern: "^$[*", literal: true }), ["^$[*"]);
      assert.deepEqual(await matched(bench, { pattern: "^number \\d+$" }), ["number 42"]);
      assert.deepEqual(await matched(bench, { pattern: "nothing like it" }), []);
    },
  },
  {
    name: "grep: ignoreCase",
    async run(bench) {
      await bench.given(TREE);
      const query = { pattern: "BETA", path: "a.txt" };
      assert.deepEqual(await matched(bench, query), []);
      assert.deepEqual(await matched(bench, { ...query, ignoreCase: true }), ["Beta", "beta again"]);
      assert.deepEqual(await matched(bench, { ...query, ignoreCase: true, literal: true }), ["Beta", "beta again"]);
    },
  },
  {
    name: "grep: path and glob narrow the search; paths stay relative to the cwd",
    async run(bench) {
      await bench.given(TREE);
      const paths = async (query: GrepQuery) => (await bench.sandbox.grep(query)).lines.map((line) => line.path);
      assert.deepEqual(await paths({ pattern: "beta", path: "src" }), ["src/b.ts", "src/c.js"]);
      assert.deepEqual(await paths({ pattern: "beta", path: "src/c.js" }), ["src/c.js"]);
      assert.deepEqual(await paths({ pattern: "beta", glob: "*.ts" }), ["src/b.ts"]);
      assert.deepEqual(await paths({ pattern: "beta", glob: "*.{ts,js}", path: "src" }), ["src/b.ts", "src/c.js"]);
    },
  },
  {
    name: "grep: context lines are marked, and shown once",
    async run(bench) {
      await bench.given({ "x.txt": "1\n2\nhit\n4\nhit\n6\n7\n8\nhit\n" });
      const { lines, total } = await bench.sandbox.grep({ pattern: "hit", before: 1, after: 1 });
      assert.deepEqual(
        lines.map((line) => `${line.line}${line.match ? ":" : "-"}${line.text}`),
        ["2-2", "3:hit", "4-4", "5:hit", "6-6", "8-8", "9:hit"],
      );
      assert.equal(total, 3);
    },
  },
  {
    name: "grep: limit and offset page through the matches, and totals count all",
    async run(bench) {
      await bench.given({ "a.txt": "hit 1\nhit 2\nhit 3\n", "b.txt": "hit 4\nhit 5\n" });
      const page = await bench.sandbox.grep({ pattern: "hit", limit: 2, offset: 2 });
      assert.deepEqual(
        page.lines.map((line) => line.text),
        ["hit 3", "hit 4"],
      );
      assert.equal(page.total, 5);
      assert.deepEqual(page.files, [
        { path: "a.txt", count: 3 },
        { path: "b.txt", count: 2 },
      ]);
    },
  },
  {
    name: "grep: multiline lets a match span lines",
    async run(bench) {
      await bench.given({ "x.txt": "begin\nmiddle\nend\nafter\n" });
      assert.deepEqual(await matched(bench, { pattern: "begin.*end" }), []);
      assert.deepEqual(await matched(bench, { pattern: "begin.*end", multiline: true }), ["begin", "middle", "end"]);
    },
  },
  {
    name: "grep: .git never, and what .gitignore names neither",
    async run(bench) {
      await bench.given({
        ".git/index": "needle",
        ".gitignore": "skipped/\n",
        "skipped/x.txt": "needle",
        "kept.txt": "needle",
        ".hidden/y.txt": "needle",
      });
      const { files } = await bench.sandbox.grep({ pattern: "needle" });
      assert.deepEqual(
        files.map((file) => file.path),
        [".hidden/y.txt", "kept.txt"],
      );
    },
  },
  {
    name: "grep: a pattern that cannot be read is an error that says so",
    async run(bench) {
      await bench.given(TREE);
      for (const pattern of ["(", "[a", "*x", "a{2,1}"]) {
        await assertRefused(bench.sandbox.grep({ pattern }), "GREP_PATTERN_INVALID");
      }
      for (const pattern of ["(?=beta)", "(?<!x)beta", "(a)\\1"]) {
        const error = await assertRefused(bench.sandbox.grep({ pattern }), "GREP_PATTERN_INVALID");
        assert.match(
          `${error.message} ${error.hint}`,
          /look-?around|look-?ahead|look-?behind|back-?reference/i,
          pattern,
        );
      }
    },
  },
  {
    name: "grep: a pattern that ruins other engines takes linear time",
    async run(bench) {
      await bench.given({ "evil.txt": `${"a".repeat(20_000)}!\n`.repeat(5) });
      const startedAt = performance.now();
      const { total } = await bench.sandbox.grep({ pattern: "^(a+)+$|^(a|aa)+$|(.*a){12}$b" });
      assert.equal(total, 0);
      assert.ok(performance.now() - startedAt < 15_000, "took too long");
    },
  },
  {
    name: "grep: a place that is not there is an error",
    async run({ sandbox }) {
      await assertRefused(sandbox.grep({ pattern: "x", path: "missing" }), "ENOENT");
    },
  },
];

async function matched(bench: Bench, query: GrepQuery): Promise<string[]> {
  const { lines } = await bench.sandbox.grep(query);
  return lines.filter((line) => line.match).map((line) => line.text);
}
