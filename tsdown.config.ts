import { defineConfig } from "tsdown";

/** `dist` mirrors `src`, file by file: worker files keep their place, and the root's import graph can be counted. */
export default defineConfig({
  entry: [
    "src/index.ts",
    "src/tools/index.ts",
    "src/sandbox/index.ts",
    "src/models/index.ts",
    "src/stores/index.ts",
    "src/testing/index.ts",
    "src/vm/check/index.ts",
    "src/vm/check/worker-main.ts",
    "src/project/config.ts",
    "src/vm/index.ts",
    "src/cli/main.ts",
    "src/vm/program-vm.ts",
    "src/cli/demo/first-process-main.ts",
    "src/vm/worker-main.ts",
  ],
  format: "esm",
  platform: "node",
  target: "node20.19",
  unbundle: true,
  fixedExtension: false,
  dts: true,
  sourcemap: false,
  copy: ["worker.mjs", "worker-files.mjs"].map((name) => ({
    ...{ from: `src/sandbox/virtual/${name}`, to: "dist/sandbox/virtual" },
  })),
});
