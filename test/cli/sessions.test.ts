/** What a person does with sessions: lists them, reads their logs, decides about calls, goes on, forks. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cleanEnvironment, cli, haft, project, sessionIn } from "./helpers/haft.ts";
import { type ModelServer, modelServer } from "./helpers/model-server.ts";
import { logOf } from "./helpers/sessions.ts";

const deploying = `import { Tool } from "haft";
  export default { tools: [new Tool({ name: "deploy", description: "Deploys.", approval: true,
    handler: ({ to }) => "live in " + to })] };`;
const deploy = (...places: string[]) => ({
  toolCalls: places.map((to) => ({ name: "deploy", input: { to } })),
});

interface Waiting {
  cwd: string;
  env: Record<string, string>;
  session: string;
  run: string;
}

/** A session in which a call to each of the places waits. */
async function waitingIn(model: ModelServer, ...words: string[]): Promise<Waiting> {
  const cwd = await project({ "agent.config.ts": deploying });
  const { stdout, code } = await haft(["run", ...words], { cwd, env: model.env });
  expect(code).toBe(3);
  const session = sessionIn(stdout);
  return { cwd, env: model.env, session, run: (await logOf(cwd, session))[0]!.key };
}

describe.concurrent("haft sessions", () => {
  test("lists where each stands, the last one first, in 80 columns and without colours", async () => {
    await using model = await modelServer([deploy("a", "b"), { text: "Fine." }]);
    const { cwd, env, session } = await waitingIn(model, "ship\u001b[31m it\nto a and b,", "and".repeat(40));
    const second = sessionIn((await haft(["run", "how are you?"], { cwd, env })).stdout);
    const { stdout, stderr, code } = await haft(["sessions"], { cwd, env: { FORCE_COLOR: "0" } });
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    const [head, ...rows] = stdout.trimEnd().split("\n");
    expect(head).toMatch(/^SESSION +LAST +STATUS +TASK$/);
    expect(rows[0]).toMatch(new RegExp(`^${second}  just now +ended +how are you\\?$`));
    expect(rows[1]).toMatch(new RegExp(`^${session}  just now +waiting 2 +ship it to a and b.*…$`));
    expect(rows).toHaveLength(2);
    for (const row of rows) expect(row.length).toBeLessThanOrEqual(80);

    const json = await haft(["sessions", "--json", "--limit", "1"], { cwd });
    expect(
      json.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { session: second, status: "ended", waiting: 0, task: "how are you?", entries: expect.any(Number) },
    ]);
  });

  test("says that there are none, and makes nothing", async () => {
    const cwd = await project();
    expect(await haft(["sessions"], { cwd })).toMatchObject({ code: 0, stdout: "No sessions in this folder.\n" });
    expect(await haft(["sessions", "--json"], { cwd })).toMatchObject({ code: 0, stdout: "" });
    const log = await haft(["log", "nothing"], { cwd });
    expect(log).toMatchObject({ code: 2, stdout: "" });
    expect(log.stderr).toContain("SESSION_UNKNOWN");
    expect(existsSync(join(cwd, ".haft"))).toBe(false);
    expect(await haft(["sessions", "--limit", "0"], { cwd })).toMatchObject({ code: 2 });
  });
});

describe.concurrent("haft log", () => {
  test("shows entries for people, and whole as JSON; from a place on", async () => {
    await using model = await modelServer([deploy("a"), { text: "Over\nand out." }]);
    const { cwd, env, session } = await waitingIn(model, "ship it");
    await haft(["run", "--session", session, "--approve", "all"], { cwd, env });
    const text = (await haft(["log", session.slice(0, 20)], { cwd })).stdout;
    expect(text).toMatch(/^\d{4}-\d\d-\d\d\n {4}0 {2}\d\d:\d\d:\d\d +run-start +mode tools · /);
    expect(text).toMatch(/message +prompt · ship it\n/);
    expect(text).toMatch(/1\/1 +tool-call +deploy \{"to":"a"\}\n/);
    expect(text).toMatch(/1\/1 +tool-pause .*\n +│ waits: "deploy" needs approval\n/);
    expect(text).toMatch(/1\/1 +decision +approved\n/);
    expect(text).toMatch(/1\/1 +tool-end +deploy · done · \d+ ms · live in a\n/);
    expect(text).toMatch(/ +│ Over\n +│ and out\.\n/);
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(80);

    const entries = await logOf(cwd, session);
    const json = await haft(["log", session.slice(8), "--json", "--after", "4"], { cwd });
    expect(
      json.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual(entries.slice(5));
  });

  test("what a model wrote moves no cursor", async () => {
    await using model = await modelServer([{ text: "safe\u001b[2Kgone\u202e" }]);
    const cwd = await project();
    const session = sessionIn((await haft(["run", "hi \u001b]0;title\u0007"], { cwd, env: model.env })).stdout);
    const { stdout } = await haft(["log", session], { cwd });
    expect(stdout).toContain("safegone");
    expect(stdout).not.toMatch(/[\u001b\u0007\u202e]/);
  });

  test("a reader that leaves early is no failure of its own", async () => {
    await using model = await modelServer([{ text: "word ".repeat(100_000) }]);
    const cwd = await project();
    const session = sessionIn((await haft(["run", "talk"], { cwd, env: model.env })).stdout);
    const child = spawn("sh", ["-c", `"${process.execPath}" "${cli}" log ${session} --json | head -c 10`], {
      cwd,
      env: cleanEnvironment(),
    });
    let [out, err] = ["", ""];
    child.stdout.on("data", (data) => {
      out += data;
    });
    child.stderr.on("data", (data) => {
      err += data;
    });
    expect(await new Promise((done) => child.on("close", done))).toBe(0);
    expect([out, err]).toEqual(['{"v":2,"seq', ""].map((part) => part.slice(0, 10)));
  });
});

describe.concurrent("haft approve and haft deny", () => {
  test("find the call by its id, write who waits still, and the run goes on", async () => {
    await using model = await modelServer([deploy("a", "b"), { text: "Both." }]);
    const { cwd, env, session, run } = await waitingIn(model, "ship it");
    const first = await haft(["approve", `${run}/1/1`, "--input", '{"to":"c"}'], { cwd });
    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect(first.stdout).toContain('Approved deploy {"to":"c"}. It is call 1/1 of');
    expect(first.stdout).toContain(
      `1 call of this session waits: 1/2 deploy.\nNext     haft approve 1/2 --session ${session}`,
    );
    const second = await haft(["deny", "1/2", "--session", session.slice(8, 22), "--reason", "no b"], { cwd });
    expect(second.stdout).toContain(`Next     haft resume ${session}`);
    expect((await haft(["sessions"], { cwd })).stdout).toContain("decided");
    expect(model.server.requests).toHaveLength(1);

    const resumed = await haft(["resume", session, "-q"], { cwd, env });
    expect(resumed).toMatchObject({ code: 0, stdout: "Both.\n", stderr: "" });
    const [one, two] = model.server.requests[1]!.toolResults;
    expect(one!.text).toBe("live in c");
    expect(two!.text).toContain("denied: no b");
  });

  test("--resume goes on at once, and the beginning of an id is enough", async () => {
    await using model = await modelServer([deploy("a"), { text: "Up." }]);
    const { cwd, env, run } = await waitingIn(model, "ship it");
    const done = await haft(["approve", run.slice(0, 16), "--resume", "--json"], { cwd, env });
    expect(done.code).toBe(0);
    expect(
      done.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).type)
        .at(-1),
    ).toBe("run-end");
    expect(done.stderr).toContain("Approved");
    expect(model.server.requests[1]!.toolResults[0]!.text).toBe("live in a");
  });

  test("what does not wait, is decided, or is not told apart is refused, and nothing is written", async () => {
    await using model = await modelServer([deploy("a", "b")]);
    const { cwd, session, run } = await waitingIn(model, "ship it");
    const before = await logOf(cwd, session);
    const wrong: [args: string[], says: string][] = [
      [["approve", "1/1"], "no session is named"],
      [["approve", run], "2 calls that wait begin with"],
      [["approve", "run_none"], "DECISION_UNKNOWN"],
      [["approve", "9/9", "--session", session], "Waiting: 1/1, 1/2."],
      [["deny", "1/1", "--session", "session_none"], "SESSION_UNKNOWN"],
      [["approve", `${run}/1/1`, "--input", "{to: 1}"], "is not JSON"],
    ];
    for (const [args, says] of wrong) {
      const { code, stderr, stdout } = await haft(args, { cwd });
      expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: "" });
      expect(stderr.replace(/\s+/g, " ")).toContain(says);
    }
    expect(await logOf(cwd, session)).toEqual(before);

    expect((await haft(["deny", "all", "--session", session], { cwd })).code).toBe(0);
    const stale = await haft(["approve", `${run}/1/1`], { cwd });
    expect(stale).toMatchObject({ code: 2 });
    expect(stale.stderr).toContain("DECISION_UNKNOWN");
  });
});

describe.concurrent("haft fork and ids", () => {
  test("a fork is a session of its own, from any entry on, and its calls are other calls", async () => {
    await using model = await modelServer((_request, index) => (index === 0 ? deploy("a") : { text: "Done." }));
    const { cwd, env, session, run } = await waitingIn(model, "ship it");
    const at = (await logOf(cwd, session)).find(({ type }) => type === "tool-call")!.seq;
    const forked = await haft(["fork", session, "--at", String(at)], { cwd });
    const made = forked.stdout.trim();
    expect(made).toMatch(/^session_[0-9a-z]{20}$/);
    const entries = await logOf(cwd, made);
    expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: at + 1 }, (_, seq) => seq));
    expect(entries[0]).toMatchObject({ type: "run-start", from: { run } });
    expect(entries.every(({ key }) => !key.startsWith(run))).toBe(true);

    expect((await haft(["resume", made], { cwd, env })).code).toBe(3);
    expect((await haft(["approve", "1/1", "--session", made, "--resume"], { cwd, env })).code).toBe(0);
    expect((await logOf(cwd, session)).at(-1)!.type).toBe("tool-pause");
    const whole = (await haft(["fork", session], { cwd })).stdout.trim();
    expect(await logOf(cwd, whole)).toHaveLength((await logOf(cwd, session)).length);
    expect(await haft(["fork", session, "--at", "99"], { cwd })).toMatchObject({ code: 2, stdout: "" });
  });

  test("the beginning of an id is enough where one session has it; else the sessions are named", async () => {
    await using model = await modelServer(() => ({ text: "Yes." }));
    const cwd = await project();
    for (const name of ["plan-one", "plan-two"]) await haft(["run", "--session", name, "go"], { cwd, env: model.env });
    const both = await haft(["log", "plan"], { cwd });
    expect(both).toMatchObject({ code: 2, stdout: "" });
    expect(both.stderr).toContain("plan-two, plan-one");
    expect((await haft(["log", "plan-o"], { cwd })).stdout).toContain("go");
    await haft(["run", "--session", "plan", "go"], { cwd, env: model.env }); // a name that is not there is a new session
    expect((await haft(["sessions", "--json"], { cwd })).stdout.trim().split("\n")).toHaveLength(3);
    expect((await haft(["resume", "plan-t"], { cwd, env: model.env })).stderr).toContain("has ended");
  });
});
