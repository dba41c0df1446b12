/** A command gets exactly what it was given, and its end is told as it was. */
import assert from "node:assert/strict";
import { assertExited, assertRefused, bytes, type ContractCase, text } from "./case.ts";

const CANARY = "HAFT_CONTRACT_CANARY";

export const commandCases: ContractCase[] = [
  {
    name: "exec: exit codes come back as they are",
    async run({ sandbox }) {
      for (const code of [0, 1, 2, 42, 126, 127, 137, 200, 255]) assertExited(await sandbox.exec(`exit ${code}`), code);
      const failed = await sandbox.exec("cat missing.txt");
      assert.equal(failed.status, "exited");
      assert.notEqual(failed.exitCode, 0);
      assert.equal(failed.signal, null);
      assert.ok(text(failed.stderr).includes("missing.txt"));
    },
  },
  {
    name: "exec: a string is for a shell: pipes, variables, several lines",
    async run(bench) {
      assert.equal(await bench.output("echo one two | tr ' ' '-'"), "one-two\n");
      assert.equal(await bench.output('x="a  b"\nfor i in 1 2; do\n  echo "$i:$x"\ndone'), "1:a  b\n2:a  b\n");
      assert.equal(await bench.output("cat <<'END'\n  indented $x\nEND\n"), "  indented $x\n");
    },
  },
  {
    name: "exec: an array is a program and its arguments, and no shell reads them",
    async run(bench) {
      await bench.write("a.txt", "");
      const words = ["two words", "$HOME", "*", "; echo no", `'"`, "", "-n", "line\nbreak", "\\t"];
      const printed = await bench.output(["printf", "<%s>", ...words]);
      assert.equal(printed, words.map((word) => `<${word}>`).join(""));
    },
  },
  {
    name: "exec: each command starts afresh",
    async run(bench) {
      await bench.sandbox.mkdir("sub");
      await bench.output("cd sub; leftover=1; export leftover");
      assert.equal(await bench.output('pwd; echo "[$leftover]"'), `${bench.sandbox.cwd}\n[]\n`);
    },
  },
  {
    name: "exec: runs in the folder that is asked for",
    async run(bench) {
      await bench.write("sub/dir/file.txt", "found");
      assert.equal(await bench.output("cat file.txt", { cwd: "sub/dir" }), "found");
      assert.equal(await bench.output("pwd", { cwd: "sub" }), `${bench.sandbox.cwd}/sub\n`);
    },
  },
  {
    name: "exec: nothing of the host's environment reaches a command",
    before() {
      process.env[CANARY] = "sk-of-the-host";
      return () => {
        delete process.env[CANARY];
      };
    },
    async run(bench) {
      const seen = await bench.output("env");
      assert.ok(!seen.includes(CANARY) && !seen.includes("sk-of-the-host"), "the canary is out of its cage");
      assert.equal(await bench.output(`echo "[$${CANARY}]"`), "[]\n");
    },
  },
  {
    name: "exec: env adds to one command, whatever the value holds",
    async run(bench) {
      const value = "two words\n'\"$HOME`id`\\ ünï";
      assert.equal(await bench.output('printf %s "$GIVEN"', { env: { GIVEN: value } }), value);
      assert.equal(await bench.output('echo "[$GIVEN]"'), "[]\n");
    },
  },
  {
    name: "exec: stdin is what was given, and closed when nothing was",
    async run(bench) {
      assert.equal(await bench.output("cat", { stdin: bytes("line 1\nline 2") }), "line 1\nline 2");
      assert.equal(await bench.output("cat; echo end"), "end\n");
    },
  },
  {
    name: "exec: a missing folder or program is a result with a reason, not an exception",
    async run({ sandbox }) {
      const noFolder = await sandbox.exec("echo hello", { cwd: "no/such/folder" });
      assert.equal(noFolder.status, "spawn_error");
      assert.equal(noFolder.exitCode, null);
      assert.match(noFolder.error ?? "", /no\/such\/folder/);

      const noProgram = await sandbox.exec(["no-such-program-here", "argument"]);
      if (noProgram.status === "exited") {
        // An interpreter cannot tell before it runs; it says what a shell says.
        assert.equal(sandbox.capabilities.realProcesses, false);
        assert.equal(noProgram.exitCode, 127);
      } else {
        assert.equal(noProgram.status, "spawn_error");
        assert.match(noProgram.error ?? "", /no-such-program-here/);
      }
    },
  },
  {
    name: "exec: a NUL in a command is refused",
    async run({ sandbox }) {
      await assertRefused(sandbox.exec("echo a\0b"), "EINVAL");
      await assertRefused(sandbox.exec(["echo", "a\0b"]), "EINVAL");
    },
  },
  {
    name: "exec: a command that a signal ends says which",
    async run({ sandbox }) {
      if (!sandbox.capabilities.realProcesses) return;
      const killed = await sandbox.exec("kill -KILL $$");
      assert.deepEqual([killed.status, killed.exitCode, killed.signal], ["signaled", null, "SIGKILL"]);
    },
  },
];
