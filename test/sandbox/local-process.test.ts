import { execFile, spawn } from "node:child_process";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ExecOptions, ExecResult } from "../../src/core/sandbox.ts";
import { ConfinedRoot } from "../../src/sandbox/files/confined-root.ts";
import { LocalSandbox } from "../../src/sandbox/local/local-sandbox.ts";
import { HeadAndTail } from "../../src/sandbox/process/head-and-tail.ts";
import { detectPidNamespace } from "../../src/sandbox/process/pid-namespace.ts";
import { processGroup } from "../../src/sandbox/process/process-group.ts";
import { sleepers, uniqueSleep } from "../helpers/sleepers.ts";
import { bytes, tempFolder, text, waitUntil } from "./local-helpers.ts";

const namespace = await detectPidNamespace();
const containments = [processGroup, ...(namespace ? [namespace] : [])];
const home = fileURLToPath(new URL("../../", import.meta.url));

test.runIf(process.platform === "linux")("this machine can make a pid namespace, or says that it cannot", async () => {
  // Where the tools are there and allowed, the better way must be the one that is taken.
  const works = await promisify(execFile)("unshare", ["--user", "--map-current-user", "--pid", "--fork", "true"]).then(
    () => true,
    () => false,
  );
  if (works) expect(namespace?.kind).toBe("pid-namespace");
});

describe.each(containments)("a process tree in a $kind", (containment) => {
  async function open(): Promise<LocalSandbox> {
    const root = new ConfinedRoot(await tempFolder());
    const sandbox = new LocalSandbox({ root, env: { PATH: process.env.PATH ?? "" }, containment });
    onTestFinished(() => sandbox.dispose());
    return sandbox;
  }

  /** Runs a command made from a sleep that can be told from all others, and expects that sleep to be gone. */
  async function expectDead(make: (sleep: string) => string, options: ExecOptions = {}): Promise<ExecResult> {
    const sandbox = await open();
    const seconds = uniqueSleep();
    const result = await sandbox.exec(make(`sleep ${seconds}`), options);
    expect(sleepers(seconds)).toEqual([]);
    return result;
  }

  test("is dead when the command ends, wherever its members went", async () => {
    const ways = [
      (sleep: string) => `${sleep} &`,
      (sleep: string) => `nohup ${sleep} > /dev/null 2>&1 &`,
      (sleep: string) => `setsid ${sleep} > /dev/null 2>&1 &`,
      (sleep: string) => `( ( setsid ${sleep} & ) & );`,
      (sleep: string) => `setsid bash -c "trap '' TERM HUP INT; ${sleep}; ${sleep}" &`,
    ];
    const results = await Promise.all(
      ways.map((way) => expectDead((sleep) => `${way(sleep)} sleep 0.3; echo started`)),
    );
    for (const result of results) {
      expect(result).toMatchObject({ status: "exited", exitCode: 0 });
      expect(text(result.stdout)).toBe("started\n");
      // Nobody waits for a child that holds the pipe.
      expect(result.durationMs).toBeLessThan(20_000);
    }
  });

  test("is dead after a timeout, an abort, too much output and a dispose", async () => {
    const stubborn = (sleep: string) => `setsid bash -c "trap '' TERM HUP; ${sleep}; ${sleep}" & ${sleep}`;
    const [timeout, abort, output] = await Promise.all([
      expectDead(stubborn, { timeoutMs: 500 }),
      expectDead(stubborn, { abortSignal: AbortSignal.timeout(500) }),
      expectDead((sleep) => `setsid ${sleep} & yes`, { hardOutputBytes: 100_000 }),
    ]);
    expect([timeout.status, abort.status, output.status]).toEqual(["timeout", "aborted", "output_limit"]);

    const sandbox = await open();
    const seconds = uniqueSleep();
    const handle = await sandbox.start(`setsid sleep ${seconds} & sleep ${seconds}`);
    await waitUntil(() => sleepers(seconds).length === 2, "both sleeps");
    await sandbox.dispose();
    expect(sleepers(seconds)).toEqual([]);
    expect((await handle.result).status).toBe("aborted");
  });

  test.runIf(containment.kind === "pid-namespace")(
    "is dead even when it empties its environment and leaves",
    async () => {
      await expectDead((sleep) => `env -i setsid ${sleep} & sleep 0.2`);
      await expectDead((sleep) => `env -i setsid bash -c "trap '' TERM; ${sleep}; ${sleep}" & wait`, {
        timeoutMs: 500,
      });
    },
  );

  test("gets time to clean up before it is killed", async () => {
    const sandbox = await open();
    const command = "trap 'echo cleaned > cleaned.txt; exit 3' TERM; sleep 300 & wait";
    const result = await sandbox.exec(command, { timeoutMs: 1000 });
    expect(result).toMatchObject({ status: "timeout", exitCode: null });
    expect(text(await sandbox.readFile("cleaned.txt"))).toBe("cleaned\n");
  });

  test("a signal is told from an exit code that looks like one", async () => {
    const sandbox = await open();
    const end = async (command: string) => {
      const { status, exitCode, signal } = await sandbox.exec(command);
      return [status, exitCode, signal];
    };
    expect(await end("kill -KILL $$")).toEqual(["signaled", null, "SIGKILL"]);
    expect(await end("kill -TERM $$")).toEqual(["signaled", null, "SIGTERM"]);
    expect(await end("kill -SEGV $$")).toEqual(["signaled", null, "SIGSEGV"]);
    expect(await end("exit 137")).toEqual(["exited", 137, null]);
    expect(await end("exit 143")).toEqual(["exited", 143, null]);
    expect(await end("bash -c 'kill -KILL $$'; exit $?")).toEqual(["exited", 137, null]);
  });

  test("a supervisor says nothing in the command's output, whatever the locale", async () => {
    const sandbox = await open();
    const result = await sandbox.exec("kill -KILL $$", { env: { LC_ALL: "xx_XX.UTF-8" } });
    expect(result).toMatchObject({ status: "signaled", signal: "SIGKILL" });
    expect(text(result.stderr)).not.toMatch(/ready|Killed/);
    expect(await sandbox.exec("exit 137", { env: { LC_ALL: "xx_XX.UTF-8" } })).toMatchObject({ exitCode: 137 });
  });

  describe.each(users())("when this program is killed, as $name", ({ uid }) => {
    test("the tree dies with it", async () => {
      const cwd = await tempFolder();
      await chmod(cwd, 0o777);
      const seconds = uniqueSleep();
      const script = join(cwd, "host.ts");
      await writeFile(script, hostScript(cwd, seconds, containment.kind));
      const jiti = join(home, "node_modules/jiti/lib/jiti-cli.mjs");
      const identity = uid === undefined ? {} : { uid, gid: uid };
      const host = spawn(process.execPath, [jiti, script], {
        cwd,
        ...identity,
        env: { PATH: process.env.PATH, JITI_FS_CACHE: "false" },
        stdio: ["ignore", "ignore", "pipe"],
      });
      onTestFinished(() => void host.kill("SIGKILL"));
      let problem = "";
      host.stderr.on("data", (data) => {
        problem += data;
      });
      await waitUntil(() => sleepers(seconds).length === 2 || host.exitCode !== null, `both sleeps ${problem}`);
      expect(problem).toBe("");
      expect(await readFile(join(cwd, "kind.txt"), "utf8")).toBe(containment.kind);

      host.kill("SIGKILL");
      await waitUntil(() => sleepers(seconds).length === 0, "the sleeps to end");
    });
  });
});

/** Root and others get their namespace in different ways. */
function users(): { name: string; uid: number | undefined }[] {
  const self = { name: "this user", uid: undefined };
  return process.getuid?.() === 0 ? [self, { name: "a plain user", uid: 65534 }] : [self];
}

function hostScript(cwd: string, seconds: string, kind: string): string {
  const from = (path: string) => JSON.stringify(join(home, "src/sandbox", path));
  return `
    import { writeFileSync } from "node:fs";
    import { ConfinedRoot } from ${from("files/confined-root.ts")};
    import { LocalSandbox } from ${from("local/local-sandbox.ts")};
    import { detectPidNamespace } from ${from("process/pid-namespace.ts")};
    import { processGroup } from ${from("process/process-group.ts")};
    const containment = ${JSON.stringify(kind)} === "process-group" ? processGroup : await detectPidNamespace();
    writeFileSync("kind.txt", String(containment?.kind));
    const root = new ConfinedRoot(${JSON.stringify(cwd)});
    const sandbox = new LocalSandbox({ root, env: { PATH: process.env.PATH }, containment });
    await sandbox.exec("setsid sleep ${seconds} & sleep ${seconds}; true");
  `;
}

describe("what is kept of a stream", () => {
  test("is its first and last half, however it was cut into pieces", () => {
    const whole = Array.from({ length: 1000 }, (_, index) => String.fromCharCode(97 + (index % 26))).join("");
    for (const limit of [0, 1, 2, 7, 10, 100, 999, 1000, 5000]) {
      for (const piece of [1, 3, 64, 1000]) {
        const kept = new HeadAndTail(limit);
        for (let at = 0; at < whole.length; at += piece) kept.push(bytes(whole.slice(at, at + piece)));
        const tail = Math.floor(limit / 2);
        const expected = limit >= 1000 ? whole : whole.slice(0, limit - tail) + whole.slice(1000 - tail);
        expect(text(kept.bytes())).toBe(expected);
        expect([kept.total, kept.truncated]).toEqual([1000, limit < 1000]);
      }
    }
  });
});
