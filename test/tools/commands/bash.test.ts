/** Bash, in real sandboxes. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Secrets } from "../../../src/core/secrets.ts";
import { Bash, Glob, Grep, Read } from "../../../src/tools/index.ts";
import { contentOf, inEachSandbox, openLocal, put } from "../helpers.ts";

const withoutTime = (text: string) => text.replace(/\d+\.\d s/g, "N s");

function secrets(values: Record<string, string>): Secrets {
  return { names: Object.keys(values), env: () => values, get: (name) => values[name]! };
}

inEachSandbox((open) => {
  test("output, then exit code and time", async () => {
    const sandbox = await open();
    const text = await Bash.execute({ command: "echo hi; echo there" }, { sandbox });
    expect(text).toMatch(/^hi\nthere\n\[exit 0, \d+\.\d s\]$/);
  });

  test("an exit code is a result, and no output is said", async () => {
    const sandbox = await open();
    expect(withoutTime(await Bash.execute({ command: "exit 42" }, { sandbox }))).toBe("[no output]\n[exit 42, N s]");
    expect(withoutTime(await Bash.execute({ command: "echo oops >&2; exit 1" }, { sandbox }))).toBe(
      "oops\n[exit 1, N s]",
    );
  });

  test("programs are told that nobody watches, and secrets are in the environment but not in the output", async () => {
    const sandbox = await open();
    const command = `echo "$TERM $PAGER $NO_COLOR \${#API_KEY} $API_KEY"`;
    const text = await Bash.execute({ command }, { sandbox, secrets: secrets({ API_KEY: "s3cret-value" }) });
    expect(withoutTime(text)).toBe("dumb cat 1 12 [REDACTED:API_KEY]\n[exit 0, N s]");
  });

  test("cwd is relative to the sandbox's, and nothing lasts from call to call", async () => {
    const sandbox = await open();
    await put(sandbox, "sub/marker", "x");
    expect(withoutTime(await Bash.execute({ command: "ls; cd ..; X=1", cwd: "sub" }, { sandbox }))).toBe(
      "marker\n[exit 0, N s]",
    );
    expect(withoutTime(await Bash.execute({ command: 'ls; echo "[$X]"' }, { sandbox }))).toBe("sub\n[]\n[exit 0, N s]");
  });

  test("a long output is cut in the middle, and all of it is in a file that Read takes", async () => {
    const sandbox = await open();
    const text = await Bash.execute({ command: "seq 1 20000" }, { sandbox, callId: "run/1/2" });
    const [, left, path] =
      /\n\[… (\d+) lines left out; the whole output \(106\.3 KiB\) is in (\S+): Read it with offset, or Grep it\]\n/.exec(
        text,
      ) ?? [];
    expect(text.startsWith("1\n2\n3\n")).toBe(true);
    expect(withoutTime(text).endsWith("\n19999\n20000\n[exit 0, N s]")).toBe(true);
    const shown = text.split("\n").length - 2;
    expect(shown + Number(left)).toBe(20_000);
    expect(Buffer.byteLength(text)).toBeGreaterThan(39 * 1024);
    expect(Buffer.byteLength(text)).toBeLessThan(41 * 1024);

    expect(path).toMatch(/run-1-2\.log$/);
    expect(await Read.execute({ path: path!, offset: 15_000, limit: 1 }, { sandbox })).toMatch(/^15000\t15000\n/);
    expect(await Grep.execute({ pattern: "^12345$", path }, { sandbox })).toBe(`${path}:12345: 12345`);
    expect(await Glob.execute({ pattern: "**/*" }, { sandbox })).toBe("No files matched **/*");
  });

  test("a timeout is a failure that keeps the output", async () => {
    const sandbox = await open();
    await expect(Bash.execute({ command: "echo started; sleep 30", timeout: 0.5 }, { sandbox })).rejects.toMatchObject({
      code: "COMMAND_TIMEOUT",
      message: expect.stringMatching(/\[Command timed out after 0\.5 s/),
      hint: expect.stringContaining("larger timeout"),
    });
  });

  test("a folder that is not there", async () => {
    const sandbox = await open();
    await expect(Bash.execute({ command: "pwd", cwd: "nowhere" }, { sandbox })).rejects.toThrow(/nowhere/);
  });

  test("the description says what this sandbox can do", async () => {
    const sandbox = await open();
    expect(Bash.describe({ sandbox })).toBe(`${Bash.description}\nHere: ${sandbox.capabilities.notes.join(" ")}`);
  });
});

describe("output", () => {
  test("colours, progress bars and control characters", async () => {
    const sandbox = await openLocal();
    const command = String.raw`printf '\033[31mred\033[0m \033]8;;http://x\007link\033]8;;\007\n'; printf '10%%\r50%%\rdone\n'; printf 'b\bbo\bol\bld\0\007\n'; printf 'end\r\n'`;
    expect(withoutTime(await Bash.execute({ command }, { sandbox }))).toBe("red link\ndone\nbold\nend\n[exit 0, N s]");
  });

  test("bytes that are not UTF-8, and a character that comes in two pieces", async () => {
    const sandbox = await openLocal();
    const progress = (text: string) => void (text.includes("err") && put(sandbox, "go", ""));
    const command = String.raw`printf 'caf\xe9 \xc3'; echo err >&2; until [ -e go ]; do sleep 0.02; done; printf '\xa9\n'`;
    const text = withoutTime(await Bash.execute({ command, timeout: 20 }, { sandbox, progress }));
    expect(["caf\uFFFD err\né\n[exit 0, N s]", "err\ncaf\uFFFD é\n[exit 0, N s]"]).toContain(text);
  });

  test("both streams in order", async () => {
    const sandbox = await openLocal();
    const progress = (text: string) => void (text !== "3\n" && put(sandbox, text.trim(), ""));
    const wait = (file: string) => `until [ -e ${file} ]; do sleep 0.02; done`;
    const command = `echo 1; ${wait("1")}; echo 2 >&2; ${wait("2")}; echo 3`;
    expect(withoutTime(await Bash.execute({ command, timeout: 20 }, { sandbox, progress }))).toBe(
      "1\n2\n3\n[exit 0, N s]",
    );
  });

  test("one very long line is cut too", async () => {
    const sandbox = await openLocal();
    const text = await Bash.execute({ command: "head -c 3000000 /dev/zero | tr '\\0' x" }, { sandbox });
    expect(text).toMatch(
      /^x{8192}\n\[… the middle of a long line left out; the whole output \(2\.9 MiB\) is in \S+: .*\]\nx{32768}\n\[exit 0/,
    );
  });

  test("a cut does not tear a character or a secret", async () => {
    const sandbox = await openLocal();
    const command = `for i in $(seq 1 3000); do printf 'é€%s' "$TOKEN"; done`;
    const text = await Bash.execute({ command }, { sandbox, secrets: secrets({ TOKEN: "tok-0123456789-end" }) });
    expect(text).not.toContain("\uFFFD");
    expect(text).not.toMatch(/tok-|0123/);
    const path = /is in (\S+):/.exec(text)![1]!;
    expect(await contentOf(sandbox, path)).not.toContain("tok-");
  });

  test("a file is made only when something was cut, is ignored by git, and old ones go", async () => {
    const sandbox = await openLocal();
    const folder = join(sandbox.cwd, ".haft/output");
    await Bash.execute({ command: "seq 1 1000" }, { sandbox });
    expect(existsSync(join(sandbox.cwd, ".haft"))).toBe(false);
    for (let call = 1; call <= 23; call++)
      await Bash.execute({ command: "seq 1 20000" }, { sandbox, callId: `run/1/${call}` });
    const files = readdirSync(folder);
    expect(files.filter((name) => name.endsWith(".log"))).toHaveLength(20);
    expect(files).toContain("run-1-23.log");
    expect(files).not.toContain("run-1-1.log");
    expect(readFileSync(join(folder, ".gitignore"), "utf8")).toBe("*\n");
  });

  test("where it cannot be saved, that is said", async () => {
    const sandbox = await openLocal();
    await put(sandbox, ".haft", "a file is in the way");
    const text = await Bash.execute({ command: "seq 1 20000" }, { sandbox });
    expect(text).toMatch(/the whole output \(106\.3 KiB\) could not be saved: .+\]\n/);
  });
});

describe("limits", () => {
  test("a timeout above the most is lowered, and that is said", async () => {
    const sandbox = await openLocal();
    const text = await Bash.execute({ command: "true", timeout: 3600 }, { sandbox });
    expect(withoutTime(text)).toBe(
      "[no output]\n[exit 0, N s; the timeout was lowered from 3600 s to 600 s, the most there is]",
    );
  });

  test("what was written before a timeout is kept", async () => {
    const sandbox = await openLocal();
    const call = Bash.execute({ command: "echo before; sleep 30", timeout: 2 }, { sandbox });
    await expect(call).rejects.toMatchObject({ message: expect.stringMatching(/^before\n\[Command timed out/) });
  });

  test("an abort ends the call at once", async () => {
    const sandbox = await openLocal();
    const controller = new AbortController();
    const call = Bash.execute({ command: "sleep 30" }, { sandbox, abortSignal: controller.signal });
    setTimeout(() => controller.abort(new Error("enough")), 100);
    await expect(call).rejects.toMatchObject({ code: "ABORTED" });
  });

  test("a signal is a result", async () => {
    const sandbox = await openLocal();
    expect(await Bash.execute({ command: "kill -9 $$" }, { sandbox })).toMatch(/\[(ended by SIGKILL|exit 137), /);
  });

  test("mistakes in the input", async () => {
    const refusal = (input: object) =>
      Bash.execute(input as never).catch((error) => error.message.replace(/^.*input: /, ""));
    expect(await refusal({})).toBe("command: is missing: it must be text");
    expect(await refusal({ command: "" })).toBe("command: must not be empty");
    expect(await refusal({ command: "x", timeout: "30s" })).toBe('timeout: must be a number, got "30s"');
    expect(await refusal({ command: "x", timeout: -1 })).toBe("timeout: must be above 0, got -1");
  });
});

describe("while it runs", () => {
  test("output is passed on as it comes", async () => {
    const sandbox = await openLocal();
    const told: string[] = [];
    const progress = (text: string) => {
      told.push(text);
      if (told.length === 1) void put(sandbox, "go", "");
    };
    const command = "echo one; until [ -e go ]; do sleep 0.05; done; echo two";
    expect(withoutTime(await Bash.execute({ command, timeout: 20 }, { sandbox, progress }))).toBe(
      "one\ntwo\n[exit 0, N s]",
    );
    expect(told.join("")).toBe("one\ntwo\n");
  });

  test("not without end, and never a secret", async () => {
    const sandbox = await openLocal();
    const told: string[] = [];
    await Bash.execute(
      { command: 'yes "$TOKEN and some more text to fill the line" | head -c 20000000' },
      { sandbox, secrets: secrets({ TOKEN: "tok-0123456789" }), progress: (text) => told.push(text) },
    );
    const all = told.join("");
    expect(all.length).toBeLessThan(1.2 * 1024 * 1024);
    expect(all).not.toContain("tok-0123456789");
    expect(all).toContain("[…]\n");
  });
});
