/** llmz, whose models answer with programs only; they run in its QuickJS. */
export async function load() {
  const [llmz, { z }] = await Promise.all([import("llmz"), import("@bpinternal/zui")]);
  return { ...llmz, z };
}

export function makeProgram(library, program) {
  const { Exit, Tool, execute, z } = library;
  const code = `${program.code("add")}\nreturn exit('done', { text: String(sum) })`;
  const client = scriptedClient(library, () => code);
  const add = new Tool({
    name: "add",
    description: "Add two numbers",
    input: z.object({ a: z.number(), b: z.number() }),
    output: z.object({ sum: z.number() }),
    handler: (input) => program.tool(input),
  });
  const done = new Exit({ name: "done", description: "Done", schema: z.object({ text: z.string() }) });
  const options = { client, model: "fake:x", instructions: "You are helpful.", tools: [add], exits: [done], options: { loop: 1 } };
  return {
    async run() {
      const result = await execute(options);
      if (!result.is(done)) throw new Error(String(result.error?.message ?? result.status));
      return result.output.text;
    },
  };
}

export async function promptOf(library, tools) {
  const { Exit, Tool, execute, z } = library;
  let sent;
  const client = scriptedClient(library, (request) => {
    sent ??= request.messages.find(({ role }) => role === "system").content;
    return "return exit('done', { text: '' })";
  });
  const done = new Exit({ name: "done", description: "Done", schema: z.object({ text: z.string() }) });
  const own = tools.map((tool) => new Tool({ ...tool, handler: () => null }));
  await execute({ client, model: "fake:x", instructions: "You are helpful.", tools: own, exits: [done], options: { loop: 1 } });
  return sent;
}

function scriptedClient({ _CustomModelClient }, code) {
  const limits = { input: { maxTokens: 1e6, costPer1MTokens: 0 }, output: { maxTokens: 16_000, costPer1MTokens: 0 } };
  const usage = { inputTokens: 10, outputTokens: 5, inputCost: 0, outputCost: 0 };
  let count = 0;
  class ScriptedClient extends _CustomModelClient {
    async getModelDetails(id) {
      return { id, name: id, description: "", ...limits, tags: [], lifecycle: "production" };
    }
    async generateText(request) {
      return {
        output: "",
        toolCalls: [{ id: `call_${count++}`, name: "run_javascript", input: { code: code(request) } }],
        metadata: { provider: "fake", model: "fake", stopReason: "tool_calls", usage, latency: 0, cost: 0, cached: false, requestId: "r" },
      };
    }
  }
  return new ScriptedClient();
}
