/**
 * Runs the contract and the isolation cases as whoever starts this program, four at a time, and prints a line of JSON for
 * each: `{ name, error? }`. The last line is `{ uid, controlGroup }`.
 */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ControlGroup } from "../../../src/sandbox/isolated/control-group.ts";
import { isolated } from "../../../src/sandbox/isolated/index.ts";
import { sandboxContract } from "../../../src/testing/sandbox-contract.ts";
import { isolationCases, runCase } from "./cases.ts";

const contract = sandboxContract(async () => {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "haft-contract-")));
  return { sandbox: await isolated({ cwd }), close: async () => rmSync(cwd, { recursive: true, force: true }) };
});
const isolation = isolationCases.map((one) => ({ name: one.name, run: () => runCase(one) }));
const queue = [...contract, ...isolation];

async function work(): Promise<void> {
  for (let next = queue.shift(); next; next = queue.shift()) {
    const { name } = next;
    const error = await next.run().then(
      () => undefined,
      (thrown) => String(thrown?.message ?? thrown),
    );
    console.log(JSON.stringify({ name, error }));
  }
}

await Promise.all(Array.from({ length: 4 }, work));
const group = ControlGroup.create({ memoryMb: 100, processes: 100 });
await group?.remove();
console.log(JSON.stringify({ uid: process.getuid?.(), controlGroup: group !== undefined }));
