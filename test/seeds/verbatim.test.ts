/** The files that are run are the seed's fences, with their imports changed and nothing else unless the table says it. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { fenceFiles, fileText, seedFences } from "./fences.ts";
import * as prelude from "./prelude.ts";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");

describe("the fences of seed 002", () => {
  test("all sixteen are here, each as a file", () => {
    expect(seedFences()).toHaveLength(16);
    expect([...new Set(fenceFiles.map(({ fence }) => fence))]).toEqual([...Array(16).keys()]);
    const files = readdirSync(new URL("fixtures/002", import.meta.url)).filter((name) => name.endsWith(".ts"));
    expect(files.sort()).toEqual(fenceFiles.map(({ file }) => file).sort());
  });

  test.each(fenceFiles)("$file is its fence with the import changed", (entry) => {
    expect(read(`fixtures/002/${entry.file}`)).toBe(fileText(entry));
  });

  test("what changed beside an import is told in README.md", () => {
    const readme = read("README.md").replace(/ +/g, " ");
    for (const { file, change } of fenceFiles) {
      if (change) expect(readme).toContain(`| \`${file}\` | ${change.why} |`);
    }
  });

  test("the prelude has only what a fence imports, and README.md names it", () => {
    const imports = fenceFiles.flatMap(({ file }) => [
      ...read(`fixtures/002/${file}`).matchAll(/^import .*\{(.*)\}/gm),
    ]);
    const used = new Set(imports.flatMap(([, names]) => names!.split(",").map((name) => name.trim())));
    expect(Object.keys(prelude).filter((name) => !used.has(name))).toEqual([]);
    for (const name of used) expect(read("README.md")).toContain(`\`${name}\``);
  });
});
