/** A command ends when it should, and nothing of it is left. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { assertExited, assertRefused, type Bench, bytes, type ContractCase, text } from "./case.ts";

/** Far above what a sandbox needs, far below the 300 s that the commands would take. */
const SOON_MS = 30_000;

/** Something that goes on writing to a file, so that one can see whether it still lives. */
const tickInto = (file: string) => `while :; do echo tick >> ${file}; sleep 0.05; done > /dev/null 2>&1`;

export const processCases: ContractCase[] = [
  {
    name: "processes: a command that runs out of time is stopped",
    async run({ sandbox }) {
      for (const command of ["sleep 300", "while :; do :; done"]) {
        const result = await sandbox.exec(`echo begun; ${command}`, { timeoutMs: 700 });
        assert.deepEqual([result.status, result.exitCode, result.signal], ["timeout", null, null], command);
        assert.ok(result.durationMs < SOON_MS, `took ${result.durationMs} ms`);
        if (sandbox.capabilities.streaming) assert.equal(text(result.stdout), "begun\n", "what it wrote is kept");
      }
      assertExited(await sandbox.exec("echo still works"), 0);
    },
  },
  {
    name: "processes: an abort stops a command, and a call that is aborted already starts none",
    async run(bench) {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 300);
      const result = await bench.sandbox.exec("sleep 300", { abortSignal: controller.signal });
      assert.deepEqual([result.status, result.exitCode], ["aborted", null]);
      assert.ok(result.durationMs < SOON_MS, `took ${result.durationMs} ms`);

      const never = await bench.sandbox.exec("echo x > ran.txt", { abortSignal: AbortSignal.abort() });
      assert.equal(never.status, "aborted");
      await assertRefused(bench.sandbox.stat("ran.txt"), "ENOENT");
    },
  },
  {
    name: "processes: what a command left in the background is dead when it returns",
    async run(bench) {
      if (!bench.sandbox.capabilities.realProcesses) return;
      const ways = [
        (ticker: string) => `( ${ticker} ) &`,
        (ticker: string) => `nohup sh -c '${ticker}' &`,
        (ticker: string) => `( ( ${ticker} ) & ) &`,
      ];
      const tries = ways.map(async (way, index) => {
        const file = `ticks-${index}.txt`;
        const command = `${way(tickInto(file))} sleep 0.5; echo done`;
        assertExited(await bench.sandbox.exec(command), 0);
        await assertStill(bench, file, command);
      });
      await Promise.all(tries);
    },
  },
  {
    name: "processes: a timeout takes the whole tree, also what refuses to go",
    async run(bench) {
      if (!bench.sandbox.capabilities.realProcesses) return;
      const command = `( trap '' TERM HUP INT; ${tickInto("ticks.txt")} ) & wait`;
      const result = await bench.sandbox.exec(command, { timeoutMs: 700 });
      assert.equal(result.status, "timeout");
      assert.ok(result.durationMs < SOON_MS, `took ${result.durationMs} ms`);
      await assertStill(bench, "ticks.txt", command);
    },
  },
  {
    name: "processes: many commands at once do not mix",
    async run(bench) {
      const numbers = Array.from({ length: 10 }, (_, index) => index);
      const outputs = await Promise.all(
        numbers.map((number) => bench.output('sleep 0.1; echo "$NUMBER"', { env: { NUMBER: String(number) } })),
      );
      assert.deepEqual(
        outputs,
        numbers.map((number) => `${number}\n`),
      );
    },
  },
  {
    name: "start: where there is no background, it says so",
    async run({ sandbox }) {
      if (sandbox.capabilities.background) return;
      await assertRefused(sandbox.start("echo hello"), "SANDBOX_UNSUPPORTED");
    },
  },
  {
    name: "start: gives input to a running command, and its output as it comes",
    async run({ sandbox }) {
      if (!sandbox.capabilities.background) return;
      const handle = await sandbox.start('while read -r line; do echo "got $line"; done; echo end');
      const output = handle.output[Symbol.asyncIterator]();
      await handle.write(bytes("one\n"));
      assert.equal(text((await output.next()).value.data), "got one\n");
      await handle.write(bytes("two\n"));
      handle.endInput();
      let rest = "";
      for (let next = await output.next(); !next.done; next = await output.next()) rest += text(next.value.data);
      assert.equal(rest, "got two\nend\n");
      const result = await handle.result;
      assertExited(result, 0);
      assert.equal(text(result.stdout), "got one\ngot two\nend\n");
    },
  },
  {
    name: "start: kill ends the command and all it started",
    async run(bench) {
      if (!bench.sandbox.capabilities.background) return;
      const handle = await bench.sandbox.start(`( ${tickInto("ticks.txt")} ) & wait`);
      await sleep(300);
      await handle.kill();
      await handle.kill();
      const result = await handle.result;
      assert.equal(result.status, "aborted");
      await assertStill(bench, "ticks.txt", "after kill");
    },
  },
];

/** The ticker has ticked, and ticks no more. */
async function assertStill(bench: Bench, file: string, what: string): Promise<void> {
  await sleep(100);
  const before = (await bench.sandbox.stat(file)).size;
  await sleep(300);
  assert.ok(before > 0, `never ran: ${what}`);
  assert.equal((await bench.sandbox.stat(file)).size, before, `still runs: ${what}`);
}
