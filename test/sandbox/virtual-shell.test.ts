import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { ExecOptions, Sandbox } from "../../src/core/sandbox.ts";
import { virtual, virtualProvider } from "../../src/sandbox/virtual/index.ts";

const opened: Sandbox[] = [];
afterAll(() => Promise.all(opened.map((sandbox) => sandbox.dispose())));

async function open(options: Parameters<typeof virtual>[0] = {}): Promise<Sandbox> {
  const sandbox = await virtual(options);
  opened.push(sandbox);
  return sandbox;
}

async function run(sandbox: Sandbox, command: string | string[], options?: ExecOptions) {
  const result = await sandbox.exec(command, options);
  return { ...result, out: Buffer.from(result.stdout).toString(), err: Buffer.from(result.stderr).toString() };
}

describe("a command", () => {
  test("as a list reaches its program as it is, whatever is in it", async () => {
    const sandbox = await open({ files: { "a file": "content", "-rf": "dash" } });
    const nasty = [
      "a b",
      "$HOME",
      "'q'",
      '"d"',
      "*",
      "\n",
      "`x`",
      "-n",
      "",
      "\\",
      "\\n",
      "é😀",
      "~",
      "{a,b}",
      "#c",
      ";",
      "&&",
      "|",
      ">x",
      "$(id)",
      "!!",
      "=",
      "[a]",
      "\t",
      "\u202e",
      "<(x)",
    ];
    expect((await run(sandbox, ["printf", "%s|", ...nasty])).out).toBe(`${nasty.join("|")}|`);
    expect((await run(sandbox, ["cat", "a file"])).out).toBe("content");
    expect((await run(sandbox, ["cat", "--", "-rf"])).out).toBe("dash");
    expect((await run(sandbox, ["echo", "x", ">", "y"])).out).toBe("x > y\n");
    expect((await sandbox.list(".")).map((entry) => entry.name)).toEqual(["-rf", "a file"]);
    for (const word of ["if", "cat; echo x", "$(echo ls)", "it's", "A=b"]) {
      expect(await run(sandbox, [word, "x"])).toMatchObject({ status: "exited", exitCode: 127, out: "" });
    }
  });

  test("as a string is a script of bash, with its blanks kept", async () => {
    const sandbox = await open();
    const script =
      "cat <<EOF\n  two blanks\n\ttab\nEOF\nset -euo pipefail\ndeclare -A map=([k]=v)\necho v | tr v w\nfalse\necho no";
    expect(await run(sandbox, script)).toMatchObject({
      out: "  two blanks\n\ttab\nw\n",
      exitCode: 1,
      status: "exited",
      signal: null,
    });
    expect(await run(sandbox, "echo (")).toMatchObject({ exitCode: 2, err: expect.stringContaining("syntax error") });
  });

  test("starts fresh each time: no variable, function or folder is left from the last one", async () => {
    const sandbox = await open({ files: { "dir/a": "" } });
    await run(sandbox, "export A=b; f() { echo f; }; cd dir; alias x=ls; echo keep > /tmp/kept");
    expect((await run(sandbox, "echo [$A]; pwd; cat /tmp/kept")).out).toBe("[]\n/workspace\nkeep\n");
    expect((await run(sandbox, "f")).exitCode).toBe(127);
    await run(sandbox, "echo x > /dev/null; rm -rf /bin /usr; echo y > /bin/new");
    expect((await run(sandbox, "cat /dev/null; which ls")).out).toBe("/usr/bin/ls\n");
  });

  test("gets its own environment, and nothing of this process", async () => {
    process.env.HAFT_TEST_SECRET = "SECRET";
    const sandbox = await open({ env: { OWN: "o", "WITH SPACE": "s" } });
    const { out } = await run(sandbox, "env", { env: { CALL: "c ' \" $x\n2", OWN: "overridden" } });
    expect(out).not.toContain("SECRET");
    expect(out).not.toContain(process.env.PATH!);
    expect(out).toContain("OWN=overridden\n");
    expect(out).toContain("CALL=c ' \" $x\n2\n");
    expect(out).toContain("HOME=/home/agent\n");
    expect((await run(sandbox, "echo $OWN [$CALL] ~; cd; pwd")).out).toBe("o [] /home/agent\n/home/agent\n");
    delete process.env.HAFT_TEST_SECRET;
  });

  test("reads its stdin byte by byte, and finds it closed otherwise", async () => {
    const sandbox = await open();
    const stdin = Uint8Array.from({ length: 256 }, (_, index) => index);
    await run(sandbox, "cat > all", { stdin });
    expect(await sandbox.readFile("all")).toEqual(stdin);
    expect(await run(sandbox, "cat; read x; echo $?")).toMatchObject({ out: "1\n" });
  });

  test("runs in a folder of the sandbox, or not at all", async () => {
    const sandbox = await open({ files: { "dir/a": "", file: "" } });
    expect((await run(sandbox, "pwd; ls", { cwd: "dir" })).out).toBe("/workspace/dir\na\n");
    expect((await run(sandbox, ["ls"], { cwd: "/tmp" })).out).toBe("");
    expect(await run(sandbox, "pwd", { cwd: "gone" })).toMatchObject({
      status: "spawn_error",
      exitCode: null,
      error: expect.stringContaining("gone"),
    });
    expect(await run(sandbox, "pwd", { cwd: "file" })).toMatchObject({
      status: "spawn_error",
      error: expect.stringContaining("not a folder"),
    });
    await expect(sandbox.exec("pwd", { cwd: "../../etc" })).rejects.toMatchObject({ code: "EPERM" });
    await expect(sandbox.exec("pwd", { cwd: "$(touch x)" })).resolves.toMatchObject({ status: "spawn_error" });
  });

  test("cannot be empty, hold NUL, or go on in the background", async () => {
    const sandbox = await open();
    await expect(sandbox.exec([])).rejects.toMatchObject({ code: "EINVAL" });
    await expect(sandbox.exec(["a\0b"])).rejects.toMatchObject({ code: "EINVAL" });
    await expect(sandbox.start("sleep 1")).rejects.toMatchObject({ code: "SANDBOX_UNSUPPORTED" });
    const started = performance.now();
    expect((await run(sandbox, "sleep 0.3 & echo now")).out).toBe("now\n");
    expect(performance.now() - started).toBeGreaterThan(250);
  });
});

describe("output", () => {
  test("comes once, at the end, and keeps its first and last part", async () => {
    const sandbox = await open();
    const chunks: string[] = [];
    const result = await run(sandbox, "seq 1 20000; echo problem >&2", {
      maxOutputBytes: 1000,
      onOutput: ({ stream, data }) => chunks.push(`${stream} ${data.length}`),
    });
    expect(chunks).toEqual(["stdout 108894", "stderr 8"]);
    expect(result).toMatchObject({ stdoutTotal: 108894, stderrTotal: 8, truncated: true, exitCode: 0 });
    expect(result.stdout.length).toBe(1000);
    expect(result.out.startsWith("1\n2\n3\n")).toBe(true);
    expect(result.out.endsWith("19999\n20000\n")).toBe(true);
    expect(Buffer.from(result.combined).toString().endsWith("problem\n")).toBe(true);
  });

  test("past the hard limit is said to be too much", async () => {
    const sandbox = await open();
    expect(await run(sandbox, "seq 1 1000", { hardOutputBytes: 500 })).toMatchObject({
      status: "output_limit",
      exitCode: null,
    });
    expect(await run(sandbox, "seq 1 1000 > file; wc -l < file", { hardOutputBytes: 500 })).toMatchObject({
      status: "exited",
      out: "1000\n",
    });
    await sandbox.writeFile("big", new Uint8Array(8 * 1024 * 1024).fill(97));
    expect(await run(sandbox, "cat big; cat big; cat big", { hardOutputBytes: 2 ** 24 })).toMatchObject({
      status: "output_limit",
      error: expect.stringContaining("too much"),
    });
  });

  test("does not tell the model about options that it has not", async () => {
    const sandbox = await open();
    const { err } = await run(sandbox, "f() { f; }; f");
    expect(err).toContain("recursion depth");
    expect(err).not.toContain("executionLimits");
  });
});

describe("time", () => {
  test("ends a command that waits and one that does not, and the sandbox goes on", async () => {
    const sandbox = await open({ timeoutMs: 300 });
    for (const script of [
      "echo kept > file; sleep 30",
      "while true; do :; done",
      "awk 'BEGIN { for (;;) a = a \"x\" }'",
    ]) {
      const result = await run(sandbox, script);
      expect(result).toMatchObject({
        status: "timeout",
        exitCode: null,
        error: expect.stringContaining("300 ms"),
        err: "",
      });
      expect(result.durationMs).toBeLessThan(10_000);
    }
    expect((await run(sandbox, "cat file", { timeoutMs: 30_000 })).out).toBe("kept\n");
  });

  test("an abort ends it at once, also before it has begun and while it waits for its turn", async () => {
    const sandbox = await open();
    await run(sandbox, "true");
    for (const script of ["sleep 30", "while true; do :; done"]) {
      const started = performance.now();
      const result = await run(sandbox, script, { abortSignal: AbortSignal.timeout(200) });
      expect(result).toMatchObject({ status: "aborted", exitCode: null });
      expect(performance.now() - started).toBeLessThan(5000);
    }
    expect(await run(sandbox, "touch never", { abortSignal: AbortSignal.abort() })).toMatchObject({
      status: "aborted",
    });
    const all = Array.from({ length: 8 }, () => run(sandbox, "sleep 30", { abortSignal: AbortSignal.timeout(300) }));
    for (const result of await Promise.all(all)) expect(result.status).toBe("aborted");
    expect((await run(sandbox, "ls")).out).toBe("");
  });

  test("one command that is ended does not take another with it", async () => {
    const sandbox = await open();
    const [stuck, fine] = await Promise.all([
      run(sandbox, "while true; do :; done", { timeoutMs: 500 }),
      run(sandbox, "sleep 1.5; echo fine"),
    ]);
    expect(stuck.status).toBe("timeout");
    expect(fine.out).toBe("fine\n");
  });

  test("files can be used while a command runs, and both see each other's writes", async () => {
    const sandbox = await open();
    const waiting = run(sandbox, "echo begun > begun; until [ -f go ]; do sleep 0.02; done; cat go", {
      timeoutMs: 20_000,
    });
    while ((await sandbox.glob({ pattern: "begun" })).total === 0)
      await new Promise((resolve) => setTimeout(resolve, 10));
    await sandbox.writeFile("go", Buffer.from("went"));
    expect((await waiting).out).toBe("went");
  });

  test("many at once all end well", async () => {
    const sandbox = await open();
    const results = await Promise.all(
      Array.from({ length: 30 }, (_, index) => run(sandbox, `echo ${index} >> log; echo ${index}`)),
    );
    expect(results.map((result) => result.out)).toEqual(Array.from({ length: 30 }, (_, index) => `${index}\n`));
    expect(
      Buffer.from(await sandbox.readFile("log"))
        .toString()
        .split("\n"),
    ).toHaveLength(31);
  });
});

describe("what it says of itself", () => {
  test("is so: what the notes name as missing is missing, what they name is there", async () => {
    const sandbox = await open();
    const [, shell, missing] = sandbox.capabilities.notes;
    const there = shell!.split("among them ")[1]!.replace(" and ", ", ").replace(".", "").split(", ");
    const gone = missing!.split("There is no ")[1]!.split(", no trap")[0]!.replace(" or ", ", ").split(", ");
    expect(there).toHaveLength(12);
    expect(gone).toHaveLength(13);
    expect((await run(sandbox, `for c in ${there.join(" ")}; do command -v $c > /dev/null || echo $c; done`)).out).toBe(
      "",
    );
    for (const command of [...gone, "trap"]) {
      expect(await run(sandbox, `${command} x`)).toMatchObject({
        exitCode: 127,
        err: expect.stringMatching(/not found|not available/),
      });
    }
    const count = Number((await run(sandbox, "ls /usr/bin | wc -l")).out);
    expect(Math.abs(count - 80)).toBeLessThan(10);
  });

  test("has no network", async () => {
    const sandbox = await open();
    const attempts =
      "curl http://127.0.0.1:1; wget x; exec 3<>/dev/tcp/127.0.0.1/80 && echo open; cat < /dev/tcp/127.0.0.1/80";
    expect((await run(sandbox, attempts)).out).toBe("");
  });

  test("is the same from a provider", async () => {
    const host = await mkdtemp(join(tmpdir(), "haft-provider-"));
    await writeFile(join(host, "a"), "a");
    const provider = virtualProvider({ mount: "ro" });
    expect(await provider.check()).toEqual({ ok: true, problems: [] });
    const sandbox = await provider.create({ cwd: host });
    expect((await run(sandbox, "cat a; touch b")).out).toBe("a");
    await sandbox.dispose();
    await rm(host, { recursive: true });
  });
});

test("dispose ends what runs, is safe to call twice, and refuses what comes after", async () => {
  const sandbox = await virtual();
  const running = run(sandbox, "while true; do :; done", { timeoutMs: 20_000 });
  await new Promise((resolve) => setTimeout(resolve, 300));
  await Promise.all([sandbox.dispose(), sandbox.dispose()]);
  expect((await running).status).toBe("aborted");
  await expect(sandbox.exec("true")).rejects.toMatchObject({ code: "SANDBOX_DISPOSED" });
  await expect(sandbox.readFile("a")).rejects.toMatchObject({ code: "SANDBOX_DISPOSED" });
});
