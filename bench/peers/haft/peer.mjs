/** This library through its public door; the log is kept in memory, as it is by default. */
import { fakeModel } from "../../fake-model.mjs";

export async function load() {
  const [haft, { z }] = await Promise.all([import("../../../dist/index.js"), import("zod")]);
  return { ...haft, z };
}

export function makeAgent({ Tool, execute, z }, scenario) {
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
