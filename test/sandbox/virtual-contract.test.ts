import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "vitest";
import { virtual } from "../../src/sandbox/virtual/index.ts";
import { sandboxContract } from "../../src/testing/sandbox-contract.ts";

describe("the virtual sandbox in memory keeps the sandbox contract", () => {
  for (const { name, run } of sandboxContract(async () => ({ sandbox: await virtual() }))) test.concurrent(name, run);
});

describe("the virtual sandbox over a folder keeps the sandbox contract", () => {
  for (const { name, run } of sandboxContract(makeOverlay)) test.concurrent(name, run);
});

async function makeOverlay() {
  const cwd = await mkdtemp(join(tmpdir(), "haft-virtual-contract-"));
  return { sandbox: await virtual({ cwd }), close: () => rm(cwd, { recursive: true, force: true }) };
}
