import { join } from "node:path";
import { expect, test } from "vitest";
import { compileProgram } from "../../../src/vm/compile/index.ts";
import { root } from "../../helpers/source-files.ts";
import { blockIn, blockOf, blocksIn, filesBelow, isSame, transpiled } from "./corpus.ts";

const AT_ONCE = 20;

/** Every second one: all of them agree, and take too long for each run of the tests. */
const files = [
  ...filesBelow(join(root, "src")),
  ...filesBelow(join(root, "node_modules/zod/src")).filter((_, index) => index % 10 === 0),
].filter((_, index) => index % 2 === 0);

test("erases real files as TypeScript does", () => {
  expect(files.length).toBeGreaterThan(190);
  const different: string[] = [];
  for (let start = 0; start < files.length; start += AT_ONCE) {
    const paths = files.slice(start, start + AT_ONCE);
    const blocks = paths.map(blockOf);
    const theirs = blocksIn(transpiled(blocks));
    expect(theirs).toHaveLength(blocks.length);
    blocks.forEach((block, index) => {
      const compiled = compileProgram(`${block}0`, { functions: [] });
      if (!compiled.ok) different.push(`${paths[index]}: ${compiled.problems[0]!.message}`);
      else if (!isSame(blockIn(compiled.program.code), theirs[index])) different.push(paths[index]!);
    });
  }
  expect(different).toEqual([]);
});
