import { describe, expect, test } from "vitest";
import { haft, project, sessionIn } from "./helpers/haft.ts";
import { modelServer } from "./helpers/model-server.ts";

const config = `
  import { SnapshotSignal, Tool } from "haft";
  const deploy = new Tool({ name: "deploy", description: "Deploys.", approval: true, handler: ({ to }) => "deployed to " + to });
  const question = new Tool({ name: "question", description: "Asks.", handler: () => { throw new SnapshotSignal("a person must say"); } });
  export default { tools: [deploy, question] };`;

const deploying = (_request: unknown, index: number) =>
  index === 0 ? { toolCalls: [{ name: "deploy", input: { to: "production" } }] } : { text: "Over." };

describe.concurrent("a call that waits for a decision", () => {
  test("ends the run with 3, says how to decide, and runs once it is approved in another process", async () => {
    const cwd = await project({ "agent.config.ts": config });
    await using model = await modelServer(deploying);
    const first = await haft(["run", "deploy"], { cwd, env: model.env });
    const session = sessionIn(first.stdout);
    expect(first.code).toBe(3);
    expect(first.stderr).toContain('Waiting  deploy {"to":"production"}');
    expect(first.stderr).toContain(`haft run --session ${session} --approve 1/1`);
    expect(first.stderr).toContain("--deny 1/1");
    for (const line of first.stderr.split("\n")) expect(line.length).toBeLessThanOrEqual(80);

    const undecided = await haft(["run", "--session", session], { cwd, env: model.env });
    expect(undecided.code).toBe(3);
    const wrong = await haft(["run", "--session", session, "--approve", "7/7"], { cwd, env: model.env });
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain("Waiting: 1/1");

    const run = await haft(["run", "--session", session, "--approve", "1/1"], { cwd, env: model.env });
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout).toContain('deploy  {"to":"production"}');
    expect(model.server.requests).toHaveLength(2);
    expect(model.server.requests[1]!.toolResults[0]!.text).toBe("deployed to production");
  });

  test("is refused with the reason that the model reads", async () => {
    const cwd = await project({ "agent.config.ts": config });
    await using model = await modelServer(deploying);
    const session = sessionIn((await haft(["run", "deploy"], { cwd, env: model.env })).stdout);
    const run = await haft(["run", "--session", session, "--deny", "all=not on a friday"], { cwd, env: model.env });
    expect(run.code).toBe(0);
    expect(model.server.requests[1]!.toolResults[0]!.text).toContain("not on a friday");
  });

  test("is answered with a value, where a tool waits for one", async () => {
    const cwd = await project({ "agent.config.ts": config });
    await using model = await modelServer((_request, index) =>
      index === 0 ? { toolCalls: [{ name: "question", input: {} }] } : { text: "Over." },
    );
    const asked = await haft(["run", "ask"], { cwd, env: model.env });
    expect(asked.code).toBe(3);
    expect(asked.stderr).toContain("--answer 1/1=");
    const answer = ["--answer", '1/1={"colour":"blue"}'];
    const run = await haft(["run", "--session", sessionIn(asked.stdout), ...answer], { cwd, env: model.env });
    expect(run.code).toBe(0);
    expect(model.server.requests[1]!.toolResults[0]!.text).toBe('{"colour":"blue"}');
  });

  test("is refused at once with --approvals deny", async () => {
    const cwd = await project({ "agent.config.ts": config });
    await using model = await modelServer(deploying);
    const run = await haft(["run", "deploy", "--approvals", "deny"], { cwd, env: model.env });
    expect(run.code).toBe(0);
    expect(model.server.requests[1]!.toolResults[0]!.text).toContain("denied");
  });
});
