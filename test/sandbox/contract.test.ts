import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "vitest";
import { local } from "../../src/sandbox/local/index.ts";
import { sandboxContract } from "../../src/testing/sandbox-contract.ts";

describe("the local sandbox keeps the sandbox contract", () => {
  for (const { name, run } of sandboxContract(makeLocal)) test.concurrent(name, run);
});

async function makeLocal() {
  const cwd = await realpath(await mkdtemp(join(tmpdir(), "haft-contract-")));
  return { sandbox: await local({ cwd }), close: () => rm(cwd, { recursive: true, force: true }) };
}
