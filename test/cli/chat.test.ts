import { describe, expect, test } from "vitest";
import { contentOf, haft, project, sessionIn } from "./helpers/haft.ts";
import { modelServer } from "./helpers/model-server.ts";

describe.concurrent("haft chat without a terminal", () => {
  test("takes each line as a turn of one session, and can be gone on with", async () => {
    const cwd = await project();
    await using model = await modelServer((_request, index) => ({ text: `Answer ${index + 1}.` }));
    const chat = await haft(["chat"], { cwd, env: model.env, input: "one\n\n  two  \n" });
    expect(chat).toMatchObject({ code: 0, stderr: "" });
    expect(chat.stdout).toMatch(/> one\n\nAnswer 1\.[\s\S]*> two\n\nAnswer 2\./);
    expect(chat.stdout).not.toMatch(/[\u001b\r]/);

    const more = await haft(["chat", "--session", sessionIn(chat.stdout), "three"], { cwd, env: model.env, input: "" });
    expect(more.code).toBe(0);
    expect(model.server.requests[2]!.messages.map(({ text }) => text)).toEqual([
      "one",
      "Answer 1.",
      "two",
      "Answer 2.",
      "three",
    ]);
  });

  test("/diff shows what is held back, /exit leaves, --apply applies at the end", async () => {
    const cwd = await project();
    await using model = await modelServer([
      { toolCalls: [{ name: "Write", input: { path: "a.txt", content: "a\n" } }] },
      { text: "Written." },
    ]);
    const input = "/diff\nwrite\n/diff\n/nope\n/exit\nnever said\n";
    const chat = await haft(["chat", "--sandbox", "virtual", "--apply"], { cwd, env: model.env, input });
    expect(chat).toMatchObject({ code: 0, stderr: "" });
    expect(chat.stdout).toMatch(/Nothing is held back[\s\S]*created a\.txt[\s\S]*There is no \/nope[\s\S]*Applied/);
    expect(model.server.requests).toHaveLength(2);
    expect(await contentOf(cwd, "a.txt")).toBe("a\n");
  });

  test("ends with the code of its last turn", async () => {
    await using model = await modelServer(() => ({ fault: { status: 401, message: "no such key" } }));
    const chat = await haft(["chat"], { cwd: await project(), env: model.env, input: "one\n" });
    expect(chat.code).toBe(1);
    expect(chat.stdout).toContain("no such key");
  });
});
