/** What npm would publish, looked at by publint and arethetypeswrong. Run after the build. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "haft-pack-"));
try {
  const [{ filename }] = JSON.parse(npm("pack", "--json", "--ignore-scripts", "--pack-destination", folder));
  const tarball = join(folder, filename);
  run("publint", tarball, "--strict");
  // The package is ESM only: requiring it from CommonJS is not offered.
  run("attw", tarball, "--profile", "esm-only", "--format", "ascii", "--no-color", "--no-emoji");
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function npm(...args) {
  return execFileSync("npm", args, { encoding: "utf8" });
}

function run(tool, ...args) {
  execFileSync(join("node_modules", ".bin", tool), args, { stdio: "inherit" });
}
