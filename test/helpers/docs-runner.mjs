// Runs modules of the documentation, one after the other, each in an empty folder; prints what each printed as JSON.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { format } from "node:util";
import { createJiti } from "jiti";

const { root, files } = JSON.parse(readFileSync(0, "utf8"));
const entries = ["tools", "sandbox", "models", "stores", "testing"];
const jiti = createJiti(import.meta.url, {
  interopDefault: false,
  moduleCache: true,
  alias: {
    ...Object.fromEntries(entries.map((name) => [`haft/${name}`, join(root, "src", name, "index.ts")])),
    haft: join(root, "src/index.ts"),
  },
});

const results = [];
for (const file of files) {
  const printed = [];
  console.log = (...values) => printed.push(`${format(...values)}\n`);
  const folder = mkdtempSync(join(tmpdir(), "haft-docs-"));
  process.chdir(folder);
  let error;
  try {
    await jiti.import(file);
  } catch (thrown) {
    error = thrown?.stack ?? String(thrown);
  }
  process.chdir(root);
  rmSync(folder, { recursive: true, force: true });
  results.push({ output: printed.join(""), error });
}
process.stdout.write(JSON.stringify(results), () => process.exit(0));
