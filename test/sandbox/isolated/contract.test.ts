import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "vitest";
import { isolated } from "../../../src/sandbox/isolated/index.ts";
import { sandboxContract } from "../../../src/testing/sandbox-contract.ts";
import { describeIsolated } from "./helpers.ts";

describeIsolated("the isolated sandbox keeps the sandbox contract", () => {
  for (const { name, run } of sandboxContract(makeIsolated)) test.concurrent(name, run);
});

async function makeIsolated() {
  const cwd = await realpath(await mkdtemp(join(tmpdir(), "haft-isolated-contract-")));
  return { sandbox: await isolated({ cwd }), close: () => rm(cwd, { recursive: true, force: true }) };
}
