/** This library through its public door; the log is kept in memory, as it is by default. */
import { fakeModel } from "../../fake-model.mjs";

export async function load() {
  const [haft, { z }] = await Promise.all([import("../../../dist/index.js"), import("zod")]);
  return { ...haft, z, code: () => import("../../../dist/vm/index.js") };
}

/** `more`: where its log goes, when that is what is measured. */
export function makeAgent({ Tool, execute, z }, scenario, more) {
  const add = new Tool({
    name: "add",
    description: "Add two numbers",
    input: z.object({ a: z.number(), b: z.number() }),
    handler: async (input) => scenario.tool(input),
  });
  const model = fakeModel(scenario);
  const options = () => ({
    model,
    instructions: "You are helpful.",
    prompt: "Go.",
    tools: [add],
    iterations: 100_000,
    ...more,
  });
  return {
    async run() {
      const result = await execute(options());
      if (result.status === "error") throw result.error;
      return result.output;
    },
    async stream(onDelta) {
      for await (const event of execute(options())) if (event.type === "text-delta") onDelta(event.text);
    },
  };
}

/** Mode "code": the model answers with one program, which leaves the run. Without a check of types, as the others have none. */
export const makeProgram = programPeer({ typecheck: false });

export function programPeer(settings) {
  return async (library, program) => {
    const { codeMode } = await library.code();
    return programAgent(library, program, codeMode(settings));
  };
}

function programAgent({ Exit, Tool, execute, z }, program, mode) {
  const add = new Tool({
    name: "add",
    description: "Add two numbers",
    input: z.object({ a: z.number(), b: z.number() }),
    output: z.object({ sum: z.number() }),
    handler: (input) => program.tool(input),
  });
  const done = new Exit({ name: "done", description: "Done", schema: z.object({ text: z.string() }) });
  const model = programModel(`${program.code("add")}\nreturn exit("done", { text: String(sum) });`);
  const options = { model, mode, instructions: "You are helpful.", prompt: "Go.", tools: [add], exits: [done] };
  return {
    async run() {
      const result = await execute({ ...options });
      if (result.status === "error") throw result.error;
      if (!result.is(done)) throw new Error(`the run ended by ${result.stopReason}`);
      return result.output.text;
    },
  };
}

export async function promptOf({ Exit, Tool, execute, z }, tools) {
  const requests = [];
  const model = programModel('return exit("done", { text: "" });', (request) => requests.push(request));
  const done = new Exit({ name: "done", description: "Done", schema: z.object({ text: z.string() }) });
  const own = tools.map((tool) => new Tool({ ...tool, handler: () => null }));
  const result = await execute({ model, mode: "code", instructions: "You are helpful.", prompt: "Go.", tools: own, exits: [done] });
  if (result.status === "error") throw result.error;
  const [{ prompt }] = requests;
  return prompt.filter(({ role }) => role === "system").map(({ content }) => content).join("\n");
}

function programModel(code, watch = () => {}) {
  const usage = {
    inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 5, text: 5, reasoning: 0 },
  };
  return {
    specificationVersion: "v3",
    provider: "fake",
    modelId: "fake-1",
    supportedUrls: {},
    async doGenerate(request) {
      watch(request);
      const call = { type: "tool-call", toolCallId: "call_1", toolName: "run_program", input: JSON.stringify({ code }) };
      return { content: [call], finishReason: { unified: "tool-calls", raw: "tool-calls" }, usage, warnings: [] };
    },
    doStream: () => Promise.reject(new Error("nobody watches")),
  };
}
