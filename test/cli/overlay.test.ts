import { execFileSync } from "node:child_process";
import { access, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Script } from "../helpers/provider-server/index.ts";
import { contentOf, haft, project } from "./helpers/haft.ts";
import { modelServer } from "./helpers/model-server.ts";

const files = { "a.txt": "one\r\ntwo\r\n", "old.txt": "old\n" };

const edits: Script = [
  {
    toolCalls: [
      { name: "Edit", input: { path: "a.txt", edits: [{ oldText: "two", newText: "zwei" }] } },
      { name: "Write", input: { path: "new/b.txt", content: "b\n" } },
    ],
  },
  { toolCalls: [{ name: "Bash", input: { command: "rm old.txt" } }] },
  { text: "Changed." },
];

describe.concurrent("haft run in an overlay", () => {
  test("--apply shows the diff and writes it", async () => {
    const cwd = await project(files);
    await using model = await modelServer(edits);
    const run = await haft(["run", "change", "--sandbox", "virtual", "--apply"], { cwd, env: model.env });
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout).toContain("Changes  3 files, held back");
    expect(run.stdout).toContain("modified a.txt  +1 -1");
    expect(run.stdout).toContain("-two\n+zwei\n");
    expect(run.stdout).toContain("created new/b.txt  +1 -0");
    expect(run.stdout).toContain("deleted old.txt  +0 -1");
    expect(run.stdout).toMatch(/Applied +2 files written, 1 deleted/);
    expect(await contentOf(cwd, "a.txt")).toBe("one\r\nzwei\r\n");
    expect(await contentOf(cwd, "new/b.txt")).toBe("b\n");
    await expect(access(join(cwd, "old.txt"))).rejects.toThrow();
  });

  test.each([[["--no-apply"]], [[]]])(
    "%j without a terminal changes nothing, and keeps a patch that applies",
    async (flags) => {
      const cwd = await project(files);
      await using model = await modelServer(edits);
      const run = await haft(["run", "change", "--sandbox", "virtual", ...flags], { cwd, env: model.env });
      expect(run).toMatchObject({ code: 0, stderr: "" });
      expect(run.stdout).toContain("-two\n+zwei\n");
      expect(run.stdout).toContain("Not applied.");
      expect(await contentOf(cwd, "a.txt")).toBe(files["a.txt"]);
      await expect(access(join(cwd, "new"))).rejects.toThrow();

      const patch = /git apply (\S+)/.exec(run.stdout)![1]!;
      execFileSync("git", ["apply", patch], { cwd });
      expect(await contentOf(cwd, "a.txt")).toBe("one\r\nzwei\r\n");
      expect(await contentOf(cwd, "new/b.txt")).toBe("b\n");
      await expect(access(join(cwd, "old.txt"))).rejects.toThrow();
    },
  );

  test.each(["--apply", "--no-apply"])("%s without an overlay is a mistake in usage", async (flag) => {
    const cwd = await project();
    await using model = await modelServer(() => ({ text: "Hello" }));
    const run = await haft(["run", "hi", "--sandbox", "local", flag], { cwd, env: model.env });
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain(flag);
    expect(run.stderr).toContain("--sandbox virtual");
    expect(model.server.requests).toHaveLength(0);
  });

  test("a file that changed on the host meanwhile is not overwritten", async () => {
    const cwd = await project(files);
    await using model = await modelServer(async (_request, index) => {
      if (index === 2) await writeFile(join(cwd, "a.txt"), "somebody else\n");
      return (edits as any)[index];
    });
    const run = await haft(["run", "change", "--sandbox", "virtual", "--apply"], { cwd, env: model.env });
    expect(run.code).toBe(1);
    expect(run.stderr).toContain("SANDBOX_CONFLICT");
    expect(run.stderr).toContain("a.txt");
    expect(await contentOf(cwd, "a.txt")).toBe("somebody else\n");
    expect(await contentOf(cwd, "old.txt")).toBe("old\n");
    await readFile(join(cwd, /git apply (\S+)/.exec(run.stdout)![1]!));
  });

  test("what a failed run left is not applied by --apply", async () => {
    const cwd = await project(files);
    await using model = await modelServer((_request, index) => (edits as any)[index % 2]);
    const run = await haft(["run", "change", "--sandbox", "virtual", "--apply", "--max-iterations", "2"], {
      cwd,
      env: model.env,
    });
    expect(run.code).toBe(1);
    expect(run.stdout).toContain("Not applied.");
    expect(await contentOf(cwd, "a.txt")).toBe(files["a.txt"]);
  });
});
