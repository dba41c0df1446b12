/** Output is told apart, counted in full, and kept within bounds. */
import assert from "node:assert/strict";
import type { OutputChunk } from "../../core/sandbox.ts";
import { assertExited, type ContractCase, text } from "./case.ts";

const LINE = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde\n";

export const outputCases: ContractCase[] = [
  {
    name: "output: stdout and stderr come apart, and combined",
    async run({ sandbox }) {
      const result = await sandbox.exec("echo out; echo err >&2");
      assertExited(result, 0);
      assert.equal(text(result.stdout), "out\n");
      assert.equal(text(result.stderr), "err\n");
      assert.deepEqual(text(result.combined).split("\n").sort(), ["", "err", "out"]);
      assert.deepEqual([result.stdoutTotal, result.stderrTotal], [4, 4]);
      assert.equal(result.truncated, false);
      assert.ok(result.durationMs >= 0);
    },
  },
  {
    name: "output: combined is in order of arrival",
    async run({ sandbox }) {
      if (!sandbox.capabilities.streaming) return;
      const result = await sandbox.exec("echo 1; sleep 0.3; echo 2 >&2; sleep 0.3; echo 3");
      assert.equal(text(result.combined), "1\n2\n3\n");
    },
  },
  {
    name: "output: bytes are exact, in and out",
    async run({ sandbox }) {
      if (!sandbox.capabilities.byteOutput) return;
      const all = Uint8Array.from({ length: 256 }, (_, value) => value);
      await sandbox.writeFile("all.bin", all);
      assert.deepEqual([...(await sandbox.exec("cat all.bin")).stdout], [...all]);
      assert.deepEqual([...(await sandbox.exec("cat", { stdin: all })).stdout], [...all]);
    },
  },
  {
    name: "output: of very much, the first and the last half of the limit are kept, and all of it is counted",
    async run(bench) {
      const lines = 40_000;
      await bench.write("big.txt", `FIRST\n${LINE.repeat(lines)}LAST\n`);
      const total = 11 + LINE.length * lines;
      const result = await bench.sandbox.exec("cat big.txt", { maxOutputBytes: 10_000 });
      assertExited(result, 0);
      assert.equal(result.stdoutTotal, total);
      assert.equal(result.truncated, true);
      for (const kept of [result.stdout, result.combined]) {
        assert.ok(kept.length <= 10_000, `kept ${kept.length}`);
        assert.ok(kept.length >= 9_000, `kept ${kept.length}`);
        assert.ok(text(kept).startsWith("FIRST\n") && text(kept).endsWith("LAST\n"));
      }
    },
  },
  {
    name: "output: onOutput gets all of it, in pieces",
    async run(bench) {
      await bench.write("some.txt", LINE.repeat(2_000));
      const chunks: OutputChunk[] = [];
      const result = await bench.sandbox.exec("cat some.txt; echo err >&2", {
        onOutput: (chunk) => chunks.push(chunk),
      });
      const sizeOf = (stream: string) =>
        chunks.filter((chunk) => chunk.stream === stream).reduce((sum, chunk) => sum + chunk.data.length, 0);
      assert.equal(sizeOf("stdout"), LINE.length * 2_000);
      assert.equal(sizeOf("stdout"), result.stdoutTotal);
      assert.equal(sizeOf("stderr"), 4);
    },
  },
  {
    name: "output: arrives while the command runs",
    async run({ sandbox }) {
      if (!sandbox.capabilities.streaming) return;
      const controller = new AbortController();
      let seen = "";
      // The command would take minutes: that it is aborted shows that its first word came before its end.
      const result = await sandbox.exec("echo early; sleep 300", {
        abortSignal: controller.signal,
        onOutput(chunk) {
          seen += text(chunk.data);
          controller.abort();
        },
      });
      assert.equal(seen, "early\n");
      assert.equal(result.status, "aborted");
    },
  },
  {
    name: "output: endless output is stopped",
    async run({ sandbox }) {
      if (!sandbox.capabilities.streaming) return;
      const limits = { hardOutputBytes: 1_000_000, maxOutputBytes: 1_000 };
      const result = await sandbox.exec("while :; do echo on and on and on; done", { ...limits, timeoutMs: 60_000 });
      assert.equal(result.status, "output_limit");
      assert.equal(result.exitCode, null);
      assert.ok(result.stdoutTotal > 1_000_000);
      assert.ok(result.stdout.length <= 1_000);
    },
  },
];
