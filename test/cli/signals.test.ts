import { readdir, readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { project, sessionIn, startHaft, until } from "./helpers/haft.ts";
import { modelServer } from "./helpers/model-server.ts";

/** How long the command sleeps: no other process of this machine has this number. */
function uniqueSeconds(): string {
  return `300.${process.pid}${Math.floor(Math.random() * 1e6)}`;
}

async function sleepers(seconds: string): Promise<number> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")));
  return lines.filter((line) => line === `sleep\0${seconds}\0`).length;
}

describe.skipIf(process.platform !== "linux")(
  "a run that is stopped while a command sleeps",
  { concurrent: true },
  () => {
    async function sleeping() {
      const seconds = uniqueSeconds();
      const model = await modelServer(() => ({
        toolCalls: [{ name: "Bash", input: { command: `sleep ${seconds}; true` } }],
      }));
      const running = startHaft(["run", "--sandbox", "local", "sleep"], { cwd: await project(), env: model.env });
      await until("the command runs", async () => (await sleepers(seconds)) > 0);
      const gone = () => until("the command is gone", async () => (await sleepers(seconds)) === 0);
      return { ...running, gone, [Symbol.asyncDispose]: () => model[Symbol.asyncDispose]() };
    }

    test.each([
      ["SIGINT", 130],
      ["SIGTERM", 143],
      ["SIGHUP", 129],
    ] as const)("by %s: it ends with %d, keeps its log, and leaves no process", async (signal, code) => {
      await using run = await sleeping();
      run.child.kill(signal);
      const finished = await run.finished;
      expect(finished).toMatchObject({ code, signal: null });
      expect(finished.stdout).toMatch(/^Stopped /m);
      expect(finished.stderr).toContain(`haft run --session ${sessionIn(finished.stdout)}`);
      await run.gone();
    });

    test("by two SIGINT: it leaves at once, and leaves no process", async () => {
      await using run = await sleeping();
      run.child.kill("SIGINT");
      run.child.kill("SIGINT");
      expect(await run.finished).toMatchObject({ code: 130 });
      await run.gone();
    });

    test("by SIGKILL: it leaves no process", async () => {
      await using run = await sleeping();
      run.child.kill("SIGKILL");
      expect(await run.finished).toMatchObject({ code: null, signal: "SIGKILL" });
      await run.gone();
    });
  },
);

test("SIGINT while the model thinks ends with 130", async () => {
  await using model = await modelServer(() => ({ fault: "silence" }));
  const run = startHaft(["run", "hi"], { cwd: await project(), env: model.env });
  await until("the model is asked", () => model.server.requests.length > 0);
  run.child.kill("SIGINT");
  expect(await run.finished).toMatchObject({ code: 130 });
  await until("the request is given up", () => model.server.requests[0]!.abandoned);
});

test("a reader that has gone stops the run, and held-back changes are kept", async () => {
  await using model = await modelServer([
    { toolCalls: [{ name: "Write", input: { path: "a.txt", content: "a" } }] },
    { pieces: Array(200).fill("word "), eventDelayMs: 20 },
  ]);
  const cwd = await project();
  const run = startHaft(["run", "hi", "--sandbox", "virtual", "--json"], { cwd, env: model.env });
  await until("something came", () => run.stdout().includes("tool-end"));
  run.child.stdout!.destroy();
  const { code, stderr } = await run.finished;
  expect(code).toBe(141);
  expect(stderr).toContain("a reader that has gone");
  expect(await readdir(`${cwd}/.haft/patches`)).toHaveLength(1);
});
