import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "vitest";
import { ConfinedRoot } from "../../src/sandbox/files/confined-root.ts";
import { LocalSandbox } from "../../src/sandbox/local/local-sandbox.ts";
import { processGroup } from "../../src/sandbox/process/process-group.ts";
import { sandboxContract } from "../../src/testing/sandbox-contract.ts";

describe("without pid namespaces and without /proc, the local sandbox keeps the contract too", () => {
  for (const { name, run } of sandboxContract(makeFallback)) test.concurrent(name, run);
});

async function makeFallback() {
  const cwd = await realpath(await mkdtemp(join(tmpdir(), "haft-fallback-")));
  const root = new ConfinedRoot(cwd, cwd, "path");
  const sandbox = new LocalSandbox({ root, env: { PATH: process.env.PATH ?? "" }, containment: processGroup });
  return { sandbox, close: () => rm(cwd, { recursive: true, force: true }) };
}
