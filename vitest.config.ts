import { defineConfig } from "vitest/config";

const house = ["test/architecture.test.ts", "test/package.test.ts"];

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    globalSetup: "test/helpers/build.ts",
    maxWorkers: 2,
    projects: [
      { extends: true, test: { name: "house", include: house } },
      {
        extends: true,
        test: { name: "haft", include: ["test/**/*.test.ts"], exclude: [...house, "test/fixtures/**"] },
      },
    ],
  },
});
