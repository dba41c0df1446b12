/** Before any test: `dist` is what `src` is now. Tests of the command line and of the package use it as users do. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { root } from "./source-files.ts";

export default function build(): void {
  const built = join(root, "dist/cli/main.js");
  if (existsSync(built) && statSync(built).mtimeMs > newest(join(root, "src"))) return;
  const tsdown = join(root, "node_modules/tsdown/dist/run.mjs");
  execFileSync(process.execPath, [tsdown, "--log-level", "error"], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
}

function newest(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return Math.max(
    ...[...files, "../package.json", "../tsdown.config.ts"].map((path) => statSync(join(folder, path)).mtimeMs),
  );
}
