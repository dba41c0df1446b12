import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { localProvider } from "../../src/sandbox/local/index.ts";
import { bytes, openLocal, tempFolder, text } from "./local-helpers.ts";

/** What a shell adds by itself. */
const OF_THE_SHELL = ["PWD", "OLDPWD", "SHLVL", "_", "HAFT_EXEC"];
const FROM_THE_HOST = ["PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "HOME", "USER", "LOGNAME", "SHELL"];
const CALM = ["TERM", "PAGER", "GIT_PAGER", "GIT_TERMINAL_PROMPT", "NO_COLOR"];

describe("the environment", () => {
  test("holds the named variables and no other", async () => {
    vi.stubEnv("SECRET_OF_THE_HOST", "sk-1");
    vi.stubEnv("KEPT", "by name");
    const { sandbox } = await openLocal({ keepEnv: ["KEPT"], env: { MINE: "1", TERM: "fancy" } });
    const { stdout } = await sandbox.exec(["env", "-0"], { env: { ONCE: "2" } });
    const seen = Object.fromEntries(
      text(stdout)
        .split("\0")
        .filter(Boolean)
        .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
    );
    expect(seen).toMatchObject({ KEPT: "by name", MINE: "1", ONCE: "2", TERM: "fancy", PAGER: "cat", NO_COLOR: "1" });
    const allowed = new Set([...FROM_THE_HOST, ...CALM, ...OF_THE_SHELL, "KEPT", "MINE", "ONCE"]);
    expect(Object.keys(seen).filter((name) => !allowed.has(name))).toEqual([]);
    expect(JSON.stringify(seen)).not.toContain("sk-1");
  });

  test("never takes from the host what makes programs run code", async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, "evil.sh"), "echo evil");
    vi.stubEnv("BASH_ENV", join(folder, "evil.sh"));
    vi.stubEnv("NODE_OPTIONS", "--no-warnings");
    vi.stubEnv("LD_LIBRARY_PATH", "/nowhere");
    const { sandbox } = await openLocal({ keepEnv: ["BASH_ENV", "NODE_OPTIONS", "LD_LIBRARY_PATH"] });
    const { stdout } = await sandbox.exec('echo "[$BASH_ENV$NODE_OPTIONS$LD_LIBRARY_PATH]"');
    expect(text(stdout)).toBe("[]\n");
  });

  test("start-up files of the shell are not read", async () => {
    const { cwd, sandbox } = await openLocal();
    for (const name of [".bashrc", ".bash_profile", ".profile"]) await writeFile(join(cwd, name), "echo from-a-file");
    const result = await sandbox.exec("echo hi", { env: { HOME: cwd }, stdin: bytes("") });
    expect(text(result.combined)).toBe("hi\n");
  });

  test("a name or value that cannot be is refused", async () => {
    const { sandbox } = await openLocal();
    const invalid: Record<string, string>[] = [{ "A=B": "1" }, { "": "1" }, { A: "x\0y" }];
    for (const env of invalid) {
      await expect(sandbox.exec("true", { env })).rejects.toMatchObject({ code: "EINVAL" });
    }
  });
});

describe("what cannot be started", () => {
  test("says why", async () => {
    const { cwd, sandbox } = await openLocal();
    await writeFile(join(cwd, "plain.txt"), "no program");
    await mkdir(join(cwd, "folder"));
    const reason = async (command: string | string[], options = {}) => {
      const result = await sandbox.exec(command, options);
      expect(result).toMatchObject({ status: "spawn_error", exitCode: null, signal: null, stdoutTotal: 0 });
      return result.error;
    };
    expect(await reason(["./plain.txt"])).toMatch(/plain\.txt was not found as a program/);
    expect(await reason(["./folder"])).toMatch(/was not found as a program/);
    expect(await reason("true", { cwd: "plain.txt" })).toMatch(/is not a folder/);
    expect(await reason("true", { cwd: "plain.txt/x" })).toMatch(/is not a folder/);
    expect(await reason(`: ${"x".repeat(300_000)}`)).toMatch(/too long.*Write it to a file/);
  });

  test("a program is looked up on the PATH of the call, relative to its cwd", async () => {
    const { cwd, sandbox } = await openLocal();
    await sandbox.writeFile("bin/mine", bytes("#!/bin/sh\necho mine $1\n"), { mode: 0o755 });
    const env = { PATH: `${cwd}/bin:/usr/bin:/bin` };
    expect(text((await sandbox.exec(["mine", "a"], { env })).stdout)).toBe("mine a\n");
    expect(text((await sandbox.exec(["./mine", "b"], { cwd: "bin" })).stdout)).toBe("mine b\n");
    await chmod(join(cwd, "bin/mine"), 0o644);
    expect((await sandbox.exec(["mine"], { env })).status).toBe("spawn_error");
  });

  test("limits that make no sense are refused", async () => {
    const { sandbox } = await openLocal();
    for (const options of [{ timeoutMs: 0 }, { timeoutMs: Number.NaN }, { maxOutputBytes: -1 }]) {
      await expect(sandbox.exec("true", options)).rejects.toMatchObject({ code: "EINVAL" });
    }
    await expect(sandbox.exec([])).rejects.toMatchObject({ code: "EINVAL" });
  });
});

describe("output", () => {
  test("200 MB of it cost bounded memory", async () => {
    const { sandbox } = await openLocal();
    const before = process.memoryUsage().rss;
    let peak = before;
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss);
    }, 20);
    const result = await sandbox.exec("yes | head -c 200000000", { timeoutMs: 60_000 });
    clearInterval(watch);
    expect(result).toMatchObject({ status: "exited", stdoutTotal: 200_000_000, truncated: true });
    expect(result.stdout).toHaveLength(1024 * 1024);
    expect(peak - before).toBeLessThan(150 * 1024 * 1024);
  });

  test("a listener that throws ends the command, and the call with what it threw", async () => {
    const { sandbox } = await openLocal();
    const onOutput = () => {
      throw new Error("the listener's own");
    };
    await expect(sandbox.exec("echo x; sleep 300", { onOutput })).rejects.toThrow("the listener's own");
  });

  test("a very long timeout is no timeout at all, and not an immediate one", async () => {
    const { sandbox } = await openLocal();
    const result = await sandbox.exec("sleep 0.1; echo done", { timeoutMs: Number.POSITIVE_INFINITY });
    expect(text(result.stdout)).toBe("done\n");
  });
});

describe("start", () => {
  test("keeps what nobody reads within bounds, and the newest of it", async () => {
    const { sandbox } = await openLocal();
    const handle = await sandbox.start("yes | head -c 20000000; echo; echo LAST", { maxOutputBytes: 500_000 });
    expect(await handle.result).toMatchObject({ status: "exited", stdoutTotal: 20_000_006 });
    let waiting = "";
    for await (const chunk of handle.output) waiting += text(chunk.data);
    expect(waiting.length).toBeLessThanOrEqual(500_000);
    expect(waiting.endsWith("LAST\n")).toBe(true);
  });

  test("input after the end is refused with what to do", async () => {
    const { sandbox } = await openLocal();
    const handle = await sandbox.start("cat", { stdin: bytes("first ") });
    await handle.write(bytes("second"));
    handle.endInput();
    await expect(handle.write(bytes("third"))).rejects.toMatchObject({ code: "EXEC_INPUT_CLOSED" });
    expect(text((await handle.result).stdout)).toBe("first second");
  });

  test("what cannot be started is a result here too", async () => {
    const { sandbox } = await openLocal();
    const handle = await sandbox.start(["no-such-program"]);
    expect((await handle.result).status).toBe("spawn_error");
    for await (const chunk of handle.output) throw new Error(`no output expected, got ${chunk.data}`);
    await expect(handle.write(bytes("x"))).rejects.toMatchObject({ code: "EXEC_INPUT_CLOSED" });
  });
});

describe("the provider", () => {
  test("makes sandboxes of its kind and says what is missing", async () => {
    const cwd = await tempFolder();
    const provider = localProvider({ env: { FROM: "provider" } });
    expect(provider.kind).toBe("local");
    expect((await provider.check()).ok).toBe(true);
    await using sandbox = await provider.create({ cwd });
    expect(text((await sandbox.exec("echo $FROM > x; cat x")).stdout)).toBe("provider\n");
    expect(await readFile(join(cwd, "x"), "utf8")).toBe("provider\n");
    expect(sandbox.summary).toContain(cwd);
    expect(sandbox.capabilities.isolates).toEqual({ files: false, network: false, processes: false });
    expect(sandbox.capabilities.notes[0]).toMatch(/not isolated/);
  });

  test("a sandbox that was disposed of starts nothing", async () => {
    const { sandbox } = await openLocal();
    await sandbox.dispose();
    await expect(sandbox.exec("true")).rejects.toMatchObject({ code: "SANDBOX_DISPOSED" });
    await expect(sandbox.start("true")).rejects.toMatchObject({ code: "SANDBOX_DISPOSED" });
  });
});
