/** A program that does nothing else than to wait for `dispose()` gets to its next line. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { root } from "../helpers/source-files.ts";

test("dispose() settles in a program that nothing else keeps alive", () => {
  const folder = mkdtempSync(join(tmpdir(), "haft-dispose-"));
  try {
    const program = `
      import { virtual } from ${JSON.stringify(pathToFileURL(join(root, "src/sandbox/virtual/index.ts")).href)};
      const used = await virtual();
      await used.exec("echo hi");
      await used.dispose();
      const unused = await virtual();
      await unused.dispose();
      console.log("both are gone");
    `;
    const file = join(folder, "program.mts");
    writeFileSync(file, program);
    const jiti = pathToFileURL(join(root, "node_modules/jiti/lib/jiti-register.mjs")).href;
    const output = execFileSync(process.execPath, ["--import", jiti, file], { encoding: "utf8", cwd: root });
    expect(output).toBe("both are gone\n");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
