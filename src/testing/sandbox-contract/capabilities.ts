/** A sandbox says what it is and what it can do, and can be disposed of at any time. */
import assert from "node:assert/strict";
import { type ContractCase, text } from "./case.ts";

export const capabilityCases: ContractCase[] = [
  {
    name: "sandbox: says who it is, where it works and what it can do",
    async run({ sandbox }) {
      assert.ok(sandbox.id.length > 0);
      assert.ok(sandbox.kind.length > 0);
      assert.match(sandbox.cwd, /^\//, "cwd is an absolute POSIX path");
      assert.ok(sandbox.summary.length > 10, "the summary is a sentence");

      const { capabilities } = sandbox;
      for (const name of ["realProcesses", "streaming", "byteOutput", "background", "overlay"] as const) {
        assert.equal(typeof capabilities[name], "boolean", name);
      }
      assert.ok(["none", "create", "live"].includes(capabilities.mount));
      for (const name of ["files", "network", "processes"] as const) {
        assert.equal(typeof capabilities.isolates[name], "boolean", `isolates.${name}`);
      }
      for (const name of ["memory", "processes", "disk", "cpu"] as const) {
        assert.equal(typeof capabilities.limits[name], "boolean", `limits.${name}`);
      }
      assert.ok(capabilities.notes.every((note) => note.length > 0));
      assert.equal(capabilities.overlay, sandbox.diff !== undefined, "an overlay has a diff, and only an overlay");
    },
  },
  {
    name: "sandbox: commands and the file API share one cwd",
    async run(bench) {
      await bench.write("here.txt", "one place");
      assert.equal(await bench.output("cat here.txt"), "one place");
      assert.equal(await bench.output("pwd"), `${bench.sandbox.cwd}\n`);
      await bench.output("echo two > from-command.txt");
      assert.equal(await bench.read("from-command.txt"), "two\n");
      assert.equal(await bench.read(`${bench.sandbox.cwd}/here.txt`), "one place", "absolute paths work too");
    },
  },
  {
    name: "sandbox: dispose ends what runs, and may be called twice",
    async run({ sandbox }) {
      const running = sandbox.exec("sleep 300");
      await new Promise((resolve) => setTimeout(resolve, 200));
      await sandbox.dispose();
      await sandbox.dispose();
      await sandbox[Symbol.asyncDispose]();
      // A sandbox may also refuse: what counts is that nobody waits for ever.
      const result = await running.catch(() => undefined);
      if (result) assert.notEqual(result.status, "exited", text(result.stderr));
    },
  },
];
