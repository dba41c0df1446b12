/** The main job from the command line, in every protocol, and with every fault that passes on the way. */
import { describe, expect, test } from "vitest";
import { type Fault, type ProviderName, type Script, startProviderServer } from "../helpers/provider-server/index.ts";
import { contentOf, haft, project } from "./helpers/haft.ts";

const providers: ProviderName[] = [
  "openai",
  "openai-compatible",
  "anthropic",
  "google",
  "cerebras",
  "groq",
  "openrouter",
  "ollama",
];

const source = "\uFEFFexport const double = (n) => n + n + 1;\r\nexport const  odd\t= 1;\r\n\r\n";
const files = {
  "package.json": '{ "type": "module" }',
  "double.js": source,
  "double.test.js":
    'import test from "node:test"; import assert from "node:assert";\n' +
    'import { double } from "./double.js";\ntest("doubles", () => assert.equal(double(2), 4));\n',
};
const edits = [{ oldText: "n + n + 1", newText: "n + n" }];
const job: Script = [
  { text: "I look.", toolCalls: [{ name: "Read", input: { path: "double.js" } }] },
  { toolCalls: [{ name: "Edit", input: { path: "double.js", edits } }] },
  { toolCalls: [{ name: "Bash", input: { command: "node --test --test-reporter=tap" } }] },
  { pieces: ["It dou", "bles now."] },
];

async function doTheJob(provider: ProviderName, script: Script) {
  const cwd = await project(files);
  await using server = await startProviderServer(script);
  const args = ["run", "--sandbox", "local", "--model", `${provider}:some-model`, "make the test pass"];
  const run = await haft(args, { cwd, env: server.env });
  return { run, file: await contentOf(cwd, "double.js"), requests: server.requests };
}

describe.each(providers)("haft run with %s", (provider) => {
  test("reads, edits without touching another byte, runs a real test, and streams", async () => {
    const { run, file, requests } = await doTheJob(provider, job);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(file).toBe(source.replace("n + n + 1", "n + n"));
    expect(requests).toHaveLength(4);
    expect(requests.every(({ stream }) => stream)).toBe(true);
    expect(requests[3]!.toolResults.at(-1)!.text).toContain("# pass 1");
    expect(run.stdout).toContain("It doubles now.");
  });
});

const passing: [string, Fault][] = [
  ["429 with Retry-After", { status: 429, retryAfter: 1 }],
  ["500", { status: 500 }],
  ["529", { status: 529 }],
  ["a malformed line", "malformed"],
  ["a cut connection", "cut"],
  ["a clean end without a finish", "truncated"],
  ["a web page with 200", "html"],
];

describe.concurrent("a fault that passes is met, and the job is done", () => {
  const protocols: ProviderName[] = ["openai", "openai-compatible", "anthropic", "google"];
  const cases = passing.flatMap(([name, fault], index) => [
    [name, protocols[index % protocols.length]!, fault] as const,
  ]);

  test.each(cases)("%s, %s", async (_name, provider, fault) => {
    const { run, file, requests } = await doTheJob(provider, [
      job[0]!,
      { ...job[1]!, fault },
      ...job.slice(1),
    ] as Script);
    expect(run.code).toBe(0);
    expect(file).toBe(source.replace("n + n + 1", "n + n"));
    expect(requests).toHaveLength(5);
    expect(run.stdout).toContain("It doubles now.");
  });
});
