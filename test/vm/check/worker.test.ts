/** The thread of the check: shared, replaced when it breaks, and never what keeps a process alive. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openChecker } from "../../../src/vm/check/index.ts";
import { root } from "../../helpers/source-files.ts";
import { declarations } from "./corpus/read-corpus.ts";

const faulty = { code: "await Orders.get({ id: 1 })", declarations, earlier: [] };

test("many checkers ask at once, and each gets its own answer", async () => {
  const answers = await Promise.all(
    [1, 2, 3].map((lines) => openChecker()!.check({ ...faulty, code: "\n".repeat(lines) + faulty.code })),
  );
  expect(answers.map(([problem]) => problem?.line)).toEqual([2, 3, 4]);
});

test("a program that TypeScript breaks down on is told, and the next one is checked", async () => {
  const checker = openChecker()!;
  const deep = { ...faulty, code: `${"[".repeat(200_000)}1${"]".repeat(200_000)}` };
  const broken = checker.check(deep);
  const after = checker.check(faulty);
  await expect(broken).rejects.toMatchObject({ code: "CHECK_FAILED" });
  expect((await after).length).toBe(1);
});

test("declarations that cannot be read are told", async () => {
  const check = openChecker()!.check({ ...faulty, declarations: "type A = 1;\ndeclare function (" });
  await expect(check).rejects.toMatchObject({ code: "CHECK_FAILED", message: expect.stringContaining("line 2") });
});

test("closing one leaves the others", async () => {
  const [first, second] = [openChecker()!, openChecker()!];
  const begun = first.check(faulty);
  first.close();
  await expect(first.check(faulty)).rejects.toMatchObject({ code: "CHECK_CLOSED" });
  expect((await begun).length).toBe(1);
  expect((await second.check(faulty)).length).toBe(1);
});

test("as it is built: answers hold the process, nothing else does", () => {
  const program = `
    import { openChecker } from ${JSON.stringify(join(root, "dist/vm/check/index.js"))};
    const checker = openChecker();
    const [problem] = await checker.check(${JSON.stringify(faulty)});
    console.log(problem.line, problem.column, problem.message);`;
  const output = execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
  expect(output).toBe("1 20 Type 'number' is not assignable to type 'string'.\n");
});
