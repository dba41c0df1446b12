/** One process at a time works in a session: the next one is told who has it, and one that was killed has nothing. */
import { writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { describe, expect, test } from "vitest";
import { type Finished, haft, project, startHaft, until } from "./helpers/haft.ts";
import { modelServer } from "./helpers/model-server.ts";
import { logOf, withDatabase } from "./helpers/sessions.ts";
import { hasScript, onTerminal } from "./helpers/terminal.ts";

/** `run --session one` at work: its tool waits until a file is there. */
const slow = `import { Tool } from "haft";
  import { existsSync } from "node:fs";
  export default { tools: [
    new Tool({ name: "wait", handler: async () => {
      while (!existsSync("go")) await new Promise((done) => setTimeout(done, 20));
      return "went";
    } }),
  ] };`;
const wait = { toolCalls: [{ name: "wait", input: {} }] };

async function started(cwd: string, session = "one"): Promise<void> {
  await until("the tool runs", async () => (await logOf(cwd, session)).some(({ type }) => type === "tool-start"));
}

describe.concurrent("a session that is worked in", () => {
  test("is busy for others, which write nothing; log --follow shows it to its end", async () => {
    const cwd = await project({ "agent.config.ts": slow });
    await using model = await modelServer([wait, { text: "Done." }]);
    const run = startHaft(["run", "--session", "one", "go"], { cwd, env: model.env });
    await started(cwd);
    const follow = startHaft(["log", "one", "--follow", "--json"], { cwd });
    await until("the log so far", () => follow.stdout().includes('"tool-start"'));

    const before = await logOf(cwd, "one");
    const tries = ["run --session one again", "resume one", "deny 1/1 --session one"].map((words) => words.split(" "));
    for (const args of tries.slice(0, 2)) {
      const { code, stderr, stdout } = await haft(args, { cwd, env: model.env });
      expect({ args, code, stdout }).toEqual({ args, code: 1, stdout: "" });
      expect(stderr).toContain("SESSION_BUSY");
      expect(stderr).toContain(`${hostname()}:${run.child.pid} works on it`);
    }
    expect(await haft(tries[2]!, { cwd })).toMatchObject({ code: 2 }); // no call of it waits
    expect(await logOf(cwd, "one")).toEqual(before);
    const [row] = (await haft(["sessions", "--json"], { cwd })).stdout.trim().split("\n");
    expect(JSON.parse(row!)).toMatchObject({ status: "running", worker: `${hostname()}:${run.child.pid}` });

    await haft(["fork", "one"], { cwd }); // reading is free
    await writeFile(`${cwd}/go`, "");
    expect((await run.finished).code).toBe(0);
    const followed: Finished = await follow.finished;
    expect(followed).toMatchObject({ code: 0, stderr: "" });
    expect(
      followed.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual(await logOf(cwd, "one"));
    expect(model.server.requests).toHaveLength(2);
    const after = await haft(["run", "--session", "one", "and?"], { cwd, env: model.env });
    expect(after.stderr).not.toContain("SESSION_BUSY");
  });

  test("is free at once when its process was killed, and the call that it was in waits for a person", async () => {
    const cwd = await project({ "agent.config.ts": slow });
    await using model = await modelServer([wait, { text: "Fine." }]);
    const run = startHaft(["run", "--session", "one", "go"], { cwd, env: model.env });
    await started(cwd);
    const follow = startHaft(["log", "one", "-f"], { cwd });
    await until("the log so far", () => follow.stdout().includes("tool-start"));
    run.child.kill("SIGKILL");
    expect((await run.finished).signal).toBe("SIGKILL");
    expect((await follow.finished).code).toBe(0);
    const held = await withDatabase(cwd, (store) => store.list());
    expect(held[0]!.worker).toContain(`:${run.child.pid} `); // it could not give it back
    expect((await haft(["sessions"], { cwd })).stdout).toMatch(/^one +just now +stopped +go$/m);

    const resumed = await haft(["resume", "one"], { cwd, env: model.env });
    expect(resumed.code).toBe(3);
    expect((await haft(["sessions"], { cwd })).stdout).toMatch(/^one +just now +waiting 1 +go$/m);
    const denied = await haft(["deny", "1/1", "--session", "one", "--resume"], { cwd, env: model.env });
    expect(denied.code).toBe(0);
    expect((await withDatabase(cwd, (store) => store.list()))[0]!.worker).toBeUndefined();
  });

  test("log --follow is left by Ctrl-C", async () => {
    const cwd = await project({ "agent.config.ts": slow });
    await using model = await modelServer([wait, { text: "Done." }]);
    const run = startHaft(["run", "--session", "one", "go"], { cwd, env: model.env });
    await started(cwd);
    const follow = startHaft(["log", "one", "--follow"], { cwd });
    await until("the log so far", () => follow.stdout().includes("tool-start"));
    follow.child.kill("SIGINT");
    expect(await follow.finished).toMatchObject({ code: 130, stderr: "" });
    await writeFile(`${cwd}/go`, "");
    expect((await run.finished).code).toBe(0);
    expect((await withDatabase(cwd, (store) => store.list()))[0]!.worker).toBeUndefined(); // given back
  });
});

describe.skipIf(!hasScript())("haft resume at a terminal", () => {
  test("asks about the call that waits", async () => {
    const config = `import { Tool } from "haft";
      export default { tools: [new Tool({ name: "deploy", approval: true, handler: ({ to }) => "live in " + to })] };`;
    const cwd = await project({ "agent.config.ts": config });
    await using model = await modelServer([
      { toolCalls: [{ name: "deploy", input: { to: "a" } }] },
      { text: "It is up." },
    ]);
    expect((await haft(["run", "--session", "one", "go"], { cwd, env: model.env })).code).toBe(3);
    const resumed = onTerminal(["resume", "one"], cwd, model.env);
    await resumed.sees("Run deploy?");
    await resumed.answer("y");
    await resumed.sees("It is up.");
    expect(await resumed.code).toBe(0);
    expect(model.server.requests[1]!.toolResults[0]!.text).toBe("live in a");
  });
});
