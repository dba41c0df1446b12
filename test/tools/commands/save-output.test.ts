/** Where a long output goes. */
import { expect, test } from "vitest";
import { virtual } from "../../../src/sandbox/virtual/index.ts";
import { Bash } from "../../../src/tools/index.ts";
import { tempFolder } from "../helpers.ts";

test("an overlay's changes are the user's, not the saved output", async () => {
  const sandbox = await virtual({ cwd: await tempFolder() });
  try {
    expect(await Bash.execute({ command: "seq 1 20000; echo mine > mine.txt" }, { sandbox })).toContain(
      "is in /tmp/haft-output/",
    );
    expect((await sandbox.diff!()).files.map(({ path }) => path)).toEqual(["mine.txt"]);
  } finally {
    await sandbox.dispose();
  }
});
