/** Glob, in real sandboxes. */
import { expect, test } from "vitest";
import { Glob } from "../../../src/tools/index.ts";
import { inEachSandbox, put } from "../helpers.ts";

inEachSandbox((open) => {
  async function withFiles(...paths: string[]) {
    const sandbox = await open();
    for (const path of paths) await put(sandbox, path, "x");
    return sandbox;
  }

  test("paths that other tools take, sorted, with their number", async () => {
    const sandbox = await withFiles("src/b.ts", "src/a.ts", "src/deep/c.ts", "readme.md");
    expect(await Glob.execute({ pattern: "*.ts" }, { sandbox })).toBe(
      "3 matches for *.ts:\nsrc/a.ts\nsrc/b.ts\nsrc/deep/c.ts",
    );
    expect(await Glob.execute({ pattern: "*.ts", path: "src/deep" }, { sandbox })).toBe(
      "1 match for *.ts:\nsrc/deep/c.ts",
    );
    expect(await Glob.execute({ pattern: "*.ts", cwd: "src/deep/" } as never, { sandbox })).toBe(
      "1 match for *.ts:\nsrc/deep/c.ts",
    );
  });

  test("nothing", async () => {
    const sandbox = await withFiles("a.ts");
    expect(await Glob.execute({ pattern: "*.rs" }, { sandbox })).toBe("No files matched *.rs");
  });

  test("a limit says how many there are and how to get them", async () => {
    const sandbox = await withFiles("1", "2", "3");
    expect(await Glob.execute({ pattern: "*", limit: 2 }, { sandbox })).toBe(
      "3 matches for *:\n1\n2\n[first 2 of 3; use limit=20, or a narrower pattern or path]",
    );
  });

  test("a pattern or a path that will not do", async () => {
    const sandbox = await withFiles("a");
    await expect(Glob.execute({ pattern: "../*" }, { sandbox })).rejects.toMatchObject({ code: "EINVAL" });
    await expect(Glob.execute({ pattern: "*", path: "nowhere" }, { sandbox })).rejects.toMatchObject({
      code: "ENOENT",
    });
    await expect(Glob.execute({} as never, { sandbox })).rejects.toMatchObject({ code: "TOOL_INPUT_INVALID" });
  });
});
