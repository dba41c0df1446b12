import { test } from "vitest";
import { isolationCases, runCase } from "./cases.ts";
import { describeIsolated } from "./helpers.ts";

describeIsolated("what an isolated sandbox keeps in", () => {
  for (const isolationCase of isolationCases) test(isolationCase.name, () => runCase(isolationCase));
});
