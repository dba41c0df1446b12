import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Tool } from "../../src/core/tool.ts";
import type { PendingCall, PolicyRule } from "../../src/index.ts";
import { asks, execute, noting, ofType, results, scriptedModel, tool, waiting, watched } from "./support.ts";

/** What became of one call under a policy: "ran", "asked: why", or what the model reads. */
async function outcome(
  policy: PolicyRule[],
  input: unknown,
  more: Partial<ConstructorParameters<typeof Tool>[0]> = {},
) {
  const ran: unknown[] = [];
  const run = tool(
    "run",
    noting(ran, () => "ran"),
    more,
  );
  const model = scriptedModel([asks(["run", input]), "ok"]);
  const result = await execute({ model, tools: [run], policy, prompt: "go" });
  if (result.isInterrupted()) return `asked: ${result.pending[0]!.message}`;
  const read = results(model.requests[1]!.prompt).call_1_1!;
  if (read !== "ran") expect(ran).toEqual([]);
  return read;
}

const denied = (reason: string) => `! This call was denied: ${reason}`;

describe("a policy", () => {
  test("the first rule that holds decides; without one the tool's own approval does", async () => {
    const rules: PolicyRule[] = [
      { tool: "other", then: "deny" },
      { tool: "run", when: ({ n }) => n === 1, then: "allow" },
      { tool: "run", when: ({ n }) => n === 2, then: "deny", reason: "two is too many" },
      { tool: "run", when: ({ n }) => n === 3, then: "ask", reason: "three is a lot" },
    ];
    const approval = ({ n }: any) => n === 4 && "the tool asks";
    expect(await outcome(rules, { n: 1 }, { approval: true })).toBe("ran");
    expect(await outcome(rules, { n: 2 }, { approval })).toContain(denied("two is too many"));
    expect(await outcome(rules, { n: 3 }, { approval: "never" })).toBe("asked: three is a lot");
    expect(await outcome(rules, { n: 4 }, { approval })).toBe("asked: the tool asks");
    expect(await outcome(rules, { n: 5 }, { approval })).toBe("ran");
    expect(await outcome([{ then: "deny" }], {})).toContain("the policy of this run does not allow it");
    expect(await outcome([{ then: "ask" }], {})).toBe('asked: the policy of this run asks about "run"');
  });

  test.each([
    ["run", true],
    ["RUN", true],
    ["r*", true],
    ["{walk,run}", true],
    ["go_*", true],
    ["walk", false],
    ["ru", false],
    ["?un", true],
  ])("tool %s holds for a tool called run, alias go_fast: %s", async (name, holds) => {
    const read = await outcome([{ tool: name, then: "deny" }], {}, { aliases: ["go_fast"] });
    expect(read === "ran").toBe(!holds);
  });

  test("a rule holds for an alias that the model called, and for the name behind it", async () => {
    for (const name of ["run", "go_fast"]) {
      const ran: unknown[] = [];
      const run = tool(
        "run",
        noting(ran, () => "ran"),
        { aliases: ["go_fast"] },
      );
      const model = scriptedModel([asks("go_fast"), "ok"]);
      await execute({ model, tools: [run], policy: [{ tool: name, then: "deny" }], prompt: "go" });
      expect(ran).toEqual([]);
    }
  });

  test("when: sees the validated effective input and the context, may be async, and denies when it throws", async () => {
    const seen: unknown[] = [];
    const transfer = tool("transfer", () => "done", {
      input: z.object({ amount: z.number(), currency: z.string().default("EUR"), from: z.string() }),
      staticInputValues: { from: "mine" },
    });
    const policy: PolicyRule[] = [
      {
        when: async (input, ctx) => {
          seen.push(input, ctx.callId);
          return false;
        },
        then: "deny",
      },
    ];
    const result = await execute({
      model: scriptedModel([asks(["transfer", { amount: 1 }]), "ok"]),
      tools: [transfer],
      policy,
      prompt: "go",
    });
    expect(seen).toEqual([{ amount: 1, currency: "EUR", from: "mine" }, `${result.run}/1/1`]);
    const broken = () => Promise.reject(new Error("the list of friends is gone"));
    for (const then of ["allow", "ask", "deny"] as const) {
      expect(await outcome([{ when: broken, then }], {})).toContain("could not judge it: the list of friends is gone");
    }
  });

  test("when: to allow, only true counts; to ask or deny, anything that is not nothing", async () => {
    const given = (value: any) => () => value;
    expect(await outcome([{ when: given("yes"), then: "allow" }, { then: "deny" }], {})).toContain("denied");
    expect(await outcome([{ when: given(true), then: "allow" }, { then: "deny" }], {})).toBe("ran");
    expect(await outcome([{ when: given("yes"), then: "deny" }], {})).toContain("denied");
    expect(await outcome([{ when: given(undefined), then: "deny" }], {})).toBe("ran");
  });

  test("judges what a hook and static values made of the input, so that they cannot get around it", async () => {
    const ran: unknown[] = [];
    const run = tool(
      "run",
      noting(ran, () => "ran"),
    );
    const policy: PolicyRule[] = [{ when: ({ path }) => path === ".env", then: "deny" }];
    const hooks = { onBeforeTool: () => ({ input: { path: ".env" } }) };
    const model = scriptedModel([asks(["run", { path: "a" }]), "ok"]);
    await execute({ model, tools: [run], policy, hooks, prompt: "go" });
    expect(results(model.requests[1]!.prompt).call_1_1).toContain("denied");
    const hidden = run.with({ staticInputValues: { path: ".env" } });
    await execute({
      model: scriptedModel([asks(["run", { path: "a" }]), "ok"]),
      tools: [hidden],
      policy,
      prompt: "go",
    });
    expect(ran).toEqual([]);
  });

  test("deny: CALL_DENIED in the log, with the place of the rule; nothing was asked and nothing started", async () => {
    const model = scriptedModel([asks("run"), "ok"]);
    const policy: PolicyRule[] = [
      { tool: "x", then: "allow" },
      { then: "deny", reason: "closed" },
    ];
    const { events } = await watched(execute({ model, tools: [tool("run", () => 1)], policy, prompt: "go" }));
    expect(ofType(events, "tool-end")[0]!.error).toMatchObject({ code: "CALL_DENIED", data: { rule: 1 } });
    expect([...ofType(events, "tool-start"), ...ofType(events, "tool-pause")]).toEqual([]);
  });

  test("ask: as `approvals` says", async () => {
    const policy: PolicyRule[] = [{ then: "ask", reason: "is that wanted?" }];
    const asked: PendingCall[] = [];
    const options = () => ({
      model: scriptedModel([asks("run"), "ok"]),
      tools: [tool("run", () => "ran")],
      policy,
      prompt: "go",
    });
    expect((await execute({ ...options(), approve: noting(asked, () => true) })).status).toBe("success");
    expect(asked).toMatchObject([{ name: "run", reason: "approval", message: "is that wanted?" }]);
    expect((await execute({ ...options(), approve: () => true, approvals: "interrupt" })).status).toBe("interrupted");
    const told = options();
    await execute({ ...told, approvals: "deny" });
    expect(results(told.model.requests[1]!.prompt).call_1_1).toContain("does not allow calls that need approval");
  });

  test("a rule says nothing about exits", async () => {
    const { DefaultExit } = await import("../../src/index.ts");
    const model = scriptedModel([asks(["done", { success: true, result: "ok" }])]);
    const result = await execute({ model, exits: [DefaultExit], policy: [{ then: "deny" }], prompt: "go" });
    expect(result.isSuccess()).toBe(true);
  });
});

describe("an invalid policy is refused at start", () => {
  test.each<[unknown, string]>([
    ["deny", "policy must be a list of rules, got a string"],
    [[{ tool: "Bash" }], "policy[0]: then must be one of allow, ask, deny, got undefined"],
    [[{ then: "deny" }, { then: "forbid" }], 'policy[1]: then must be one of allow, ask, deny, got "forbid"'],
    [[{ tols: "Bash", then: "deny" }], 'policy[0] has an unknown key "tols"'],
    [[{ tool: 1, then: "deny" }], "policy[0]: tool must be a glob"],
    [[{ tool: "", then: "deny" }], "policy[0]: tool must be a glob"],
    [[{ tool: "src/Bash", then: "deny" }], "policy[0]: tool is a glob on names"],
    [[{ path: "../x", then: "deny" }], "policy[0]: path is no glob"],
    [[{ path: "/", then: "deny" }], "policy[0]: path is no glob"],
    [[{ command: ["rm"], then: "deny" }], "policy[0]: command must be a glob or a RegExp"],
    [[{ when: true, then: "deny" }], "policy[0]: when must be a function"],
    [[{ reason: 1, then: "deny" }], "policy[0]: reason must be text"],
    [[null], "policy[0] must be a rule"],
  ])("%j", async (policy, message) => {
    const run = execute({ model: scriptedModel(["ok"]), policy: policy as any, prompt: "go" });
    await expect(run).rejects.toMatchObject({ code: "OPTIONS_INVALID", message: expect.stringContaining(message) });
  });

  test("a misspelled key is told with the one that was meant", async () => {
    const run = execute({
      model: scriptedModel(["ok"]),
      policy: [{ comand: "rm", then: "deny" } as any],
      prompt: "go",
    });
    await expect(run).rejects.toMatchObject({ hint: expect.stringContaining('Did you mean "command"?') });
  });
});

describe("command", () => {
  const shell = { subject: ({ command }: any) => ({ command }) };
  const ran = async (rule: PolicyRule, command: string | string[]) =>
    (await outcome([rule, { then: rule.then === "allow" ? "deny" : "allow" }], { command }, shell)) === "ran";

  test.each([
    ["npm test", "npm test", true],
    ["npm test", "  npm test\n", true],
    ["npm *", "npm run build --if-present", true],
    ["npm *", "npm", false],
    ["npm test", "npm test; rm -rf /", false],
    ["npm *", "npm test; rm -rf /", false],
    ["npm *", "npm test && rm -rf /", false],
    ["npm *", "npm test | sh", false],
    ["npm *", "npm test\nrm -rf /", false],
    ["npm *", "npm test\rrm -rf /", false],
    ["npm *", "npm test & rm -rf /", false],
    ["npm *", "npm test $(rm -rf /)", false],
    ["npm *", "npm test `rm -rf /`", false],
    ["npm *", "npm test > /etc/passwd", false],
    ["npm *", "npm test < /etc/passwd", false],
    ["npm *", "npm test ~", false],
    ["npm *", "npm test \\", false],
    ["npm *", "npm test 'x'", false],
    ["npm *", 'npm test "x"', false],
    ["npm *", "npm test #x", false],
    ["npm *", "npm test !x", false],
    ["npm *", "npm test {a,b}", false],
    ["npm *", "npm test [ab]", false],
    ["npm *", "npm test ?", false],
    ["npm *", "npm test\u2028rm", false],
    ["npm *", "npm test\u00a0rm", false],
    ["npm ?est", "npm ;est", false],
    ["npm * | tail -?", "npm test | tail -5", true],
    ["npm * | tail -?", "npm test | sh | tail -5", false],
    ["echo \\*", "echo *", true],
    ["echo \\*", "echo x", false],
    ["npm *;*", "npm a;b", true],
    ["*", "ls -la", true],
    ["*", "ls; rm x", false],
  ])("allow %j lets %j run: %s", async (command, line, runs) => {
    expect(await ran({ command, then: "allow" }, line)).toBe(runs);
  });

  test.each<[RegExp, string, boolean]>([
    [/npm (test|run lint)/, "npm run lint", true],
    [/npm (test|run lint)/, "npm run lint --fix", false],
    [/npm test/, "npm test; rm -rf /", false],
    [/npm .*/, "npm test; rm -rf /", false],
    [/^npm test/m, "npm test\nrm -rf /", false],
    [/npm|rm/, "rm -rf x", false],
    [/npm test/g, "npm test", true],
  ])("allow %s lets %j run: %s", async (command, line, runs) => {
    expect(await ran({ command, then: "allow" }, line)).toBe(runs);
    expect(await ran({ command, then: "allow" }, line)).toBe(runs);
  });

  test.each<[string | RegExp, string, boolean]>([
    ["rm *", "rm -rf /", true],
    ["rm *", "cd x && rm -rf y", true],
    ["rm *", "echo $(rm -rf y)", true],
    ["rm *", "FOO=1 rm  -rf y", true],
    ["rm *", "/bin/rm -rf y", true],
    ["rm *", "true\nrm -rf y", true],
    ["rm *", "ls rm", false],
    ["curl *", "ls", false],
    [/\bcurl\b/, "echo x | curl -d @- y", true],
    [/\bcurl\b/g, "curl x", true],
    ["rm *", "r''m -rf y", false], // what a shell can hide: a convenience, no boundary
  ])("deny %s keeps %j: %s", async (command, line, keeps) => {
    expect(await ran({ command, then: "deny" }, line)).toBe(!keeps);
    expect(await ran({ command, then: "deny" }, line)).toBe(!keeps);
  });

  test.each<[string | RegExp, string[], boolean]>([
    ["gh pr *", ["gh", "pr", "list"], true],
    ["gh pr *", ["gh", "pr", "a b; c"], true],
    ["gh pr list", ["gh", "pr list"], false],
    ["gh pr 'a b'", ["gh", "pr", "a b"], true],
    ["gh pr", ["gh", "pr", ""], false],
    ["gh pr *", ["gh", "api", "pr"], false],
    [/gh pr .*/, ["gh", "pr", "x"], true],
    [/gh pr .*/, ["gh", "api", "gh pr x"], false],
  ])("allow %s lets the arguments %j run: %s", async (command, argv, runs) => {
    expect(await ran({ command, then: "allow" }, argv)).toBe(runs);
  });

  test("holds for no call that runs none, whatever then is", async () => {
    for (const then of ["allow", "ask", "deny"] as const) {
      expect(
        await outcome(
          [
            { command: "*", then },
            { then: "deny", reason: "the next rule" },
          ],
          {},
        ),
      ).toContain("the next rule");
    }
  });

  test("a subject that fails, or is none, denies", async () => {
    const failing = {
      subject: () => {
        throw new Error("no idea");
      },
    };
    expect(await outcome([{ command: "x", then: "allow" }], {}, failing)).toContain("could not judge it: no idea");
    const wrong = { subject: (() => ({ files: "x" })) as any };
    expect(await outcome([{ path: "x", then: "allow" }], {}, wrong)).toContain("paths that are no list");
    expect(await outcome([{ tool: "run", then: "allow" }], {}, failing)).toBe("ran");
  });

  test("a long line of stars and letters is judged at once", async () => {
    const started = Date.now();
    expect(await ran({ command: `${"a*".repeat(200)}b`, then: "deny" }, "a".repeat(20_000))).toBe(true);
    expect(Date.now() - started).toBeLessThan(5_000);
  });
});

test("the rules are those that the run began with: who changes the list later changes nothing", async () => {
  const ran: unknown[] = [];
  const rule: PolicyRule = { tool: "run", then: "deny" };
  const policy = [rule];
  const first = tool("first", () => {
    rule.then = "allow";
    policy.length = 0;
  });
  const run = tool(
    "run",
    noting(ran, () => "ran"),
  );
  await execute({
    model: scriptedModel([asks("first"), asks("run"), "ok"]),
    tools: [first, run],
    policy,
    prompt: "go",
  });
  expect(ran).toEqual([]);
});

describe("on resume", () => {
  const start = async (policy?: PolicyRule[]) => {
    const ran: unknown[] = [];
    const pay = tool(
      "pay",
      noting(ran, (input: any) => `paid ${input.amount}`),
      { approval: true },
    );
    const model = scriptedModel([asks(["pay", { amount: 5 }]), "ok"]);
    const result = waiting(await execute({ model, tools: [pay], policy, prompt: "go" }));
    const go = async (decision: any, later?: PolicyRule[], more: object = {}) => {
      const log = result.snapshot.decide(result.pending[0]!.callId, decision);
      const end = await execute({ model, tools: [pay], policy: later, log, ...more });
      return { end, read: end.isInterrupted() ? "asked" : results(model.requests[1]!.prompt).call_1_1 };
    };
    return { ran, go };
  };

  test("what was approved stays approved under a policy that would ask, and under one that allows", async () => {
    for (const then of ["ask", "allow"] as const) {
      const { ran, go } = await start();
      expect((await go({ approve: true }, [{ then }])).read).toBe("paid 5");
      expect(ran).toEqual([{ amount: 5 }]);
    }
  });

  test("what was approved does not run when the policy denies it now", async () => {
    const { ran, go } = await start([{ then: "ask" }]);
    expect((await go({ approve: true }, [{ then: "deny", reason: "closed since" }])).read).toContain(
      denied("closed since"),
    );
    expect(ran).toEqual([]);
  });

  test("a value, an error or a no that was decided counts under any policy: nothing runs", async () => {
    const { ran, go } = await start();
    expect((await go({ value: "by hand" }, [{ then: "deny" }])).read).toBe("by hand");
    expect(ran).toEqual([]);
  });

  test("another input that was approved is judged too", async () => {
    const { ran, go } = await start();
    const policy: PolicyRule[] = [{ when: ({ amount }) => amount > 100, then: "deny", reason: "too much" }];
    expect((await go({ approve: true, input: { amount: 500 } }, policy)).read).toContain(denied("too much"));
    expect(ran).toEqual([]);
  });

  test("a call that waited is allowed without a decision when the policy allows it now", async () => {
    const ran: unknown[] = [];
    const pay = tool(
      "pay",
      noting(ran, () => "paid"),
      { approval: true },
    );
    const model = scriptedModel([asks("pay"), "ok"]);
    const { snapshot } = waiting(await execute({ model, tools: [pay], prompt: "go" }));
    await execute({ model, tools: [pay], policy: [{ then: "allow" }], log: snapshot });
    expect(ran).toHaveLength(1);
  });

  test.each([true, false])(
    "a call in doubt is not made again when the policy denies it now (read-only: %s)",
    async (readOnly) => {
      const ran: unknown[] = [];
      const first = tool("look", () => "seen", { readOnly });
      const again = tool(
        "look",
        noting(ran, () => "seen again"),
        { readOnly },
      );
      const entries: any[] = [];
      for await (const event of execute({ tools: [first], prompt: "go", model: scriptedModel([asks("look"), "ok"]) })) {
        if ("seq" in event) entries.push(event);
        if (event.type === "tool-start") break;
      }
      const options = { tools: [again], prompt: "go" };
      const model = scriptedModel(["ok"]);
      const policy: PolicyRule[] = [{ then: "deny", reason: "closed" }];
      let result = await execute({ ...options, model, policy, log: entries });
      if (!readOnly) {
        const { snapshot, pending } = waiting(result); // what became of it is for a person to say, under any policy
        expect(pending).toMatchObject([{ reason: "in-doubt" }]);
        const log = snapshot.decide(pending[0]!.callId, { approve: true });
        result = await execute({ ...options, model, policy, log });
      }
      expect(result.status).toBe("success");
      expect(results(model.requests[0]!.prompt).call_1_1).toContain("closed. It had started before");
      expect(ran).toEqual([]);
    },
  );
});
