// Runs modules of the documentation, one after the other, each in an empty folder; prints what each printed as JSON.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { format } from "node:util";
import { createJiti } from "jiti";

const { root, files } = JSON.parse(readFileSync(0, "utf8"));
const entries = ["tools", "sandbox", "models", "stores", "testing"];
const jiti = createJiti(import.meta.url, {
  alias: {
    ...Object.fromEntries(entries.map((name) => [`haft/${name}`, join(root, "src", name, "index.ts")])),
    "haft/code": join(root, "src/vm/index.ts"),
    haft: join(root, "src/index.ts"),
  },
});

const results = [];
for (const file of files) {
  const printed = [];
  console.log = (...values) => printed.push(`${format(...values)}\n`);
  const folder = mkdtempSync(join(tmpdir(), "haft-docs-"));
  process.chdir(folder);
  const error = await Promise.race([jiti.import(file).then(() => undefined, textOf), stuck()]);
  process.chdir(root);
  rmSync(folder, { recursive: true, force: true });
  results.push({ output: printed.join(""), error });
}
process.stdout.write(JSON.stringify(results), () => process.exit(0));

/** A program of its own would end here, with exit code 13. */
function stuck() {
  process.removeAllListeners("beforeExit");
  return new Promise((resolve) => {
    process.once("beforeExit", () => {
      resolve("The program would end before it is done: nothing keeps it alive.");
      setImmediate(() => {});
    });
  });
}

function textOf(thrown) {
  return thrown?.stack ?? String(thrown);
}
