/** Builds the victims' program into one file: they are started by the thousand, and most of a start is finding modules. */
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "vite";
import { root } from "../../helpers/source-files.ts";

export interface BuiltChild {
  /** What `node` is started with. */
  script: string;
  remove(): void;
}

export async function buildChild(): Promise<BuiltChild> {
  const folder = mkdtempSync(join(tmpdir(), "haft-faults-"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  await build({
    configFile: false,
    logLevel: "error",
    ssr: { noExternal: true, external: ["libsql", "pg"] },
    build: {
      ssr: new URL("./child.ts", import.meta.url).pathname,
      outDir: folder,
      emptyOutDir: false,
      target: "node20",
      rollupOptions: { output: { entryFileNames: "child.mjs" } },
    },
  });
  return { script: join(folder, "child.mjs"), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
