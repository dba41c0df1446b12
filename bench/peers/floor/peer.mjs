/** The floor: the smallest hand-written loop over the same model, with the same validation. A library can hardly be below. */
import { fakeModel } from "../../fake-model.mjs";

export async function load() {
  return import("zod");
}

export function makeAgent({ z }, scenario) {
  const schema = z.object({ a: z.number(), b: z.number() });
  const tools = [{ type: "function", name: "add", description: "Add two numbers", inputSchema: z.toJSONSchema(schema) }];
  const model = fakeModel(scenario);
  const start = () => [
    { role: "system", content: "You are helpful." },
    { role: "user", content: [{ type: "text", text: "Go." }] },
  ];
  const perform = async ({ toolCallId, toolName, input }) => ({
    type: "tool-result",
    toolCallId,
    toolName,
    output: { type: "json", value: scenario.tool(schema.parse(JSON.parse(input))) },
  });
  return {
    async run() {
      const prompt = start();
      for (;;) {
        const { content } = await model.doGenerate({ prompt, tools });
        const calls = content.filter(({ type }) => type === "tool-call");
        if (calls.length === 0) return content.map(({ text }) => text).join("");
        prompt.push({ role: "assistant", content: calls.map((call) => ({ ...call, input: JSON.parse(call.input) })) });
        prompt.push({ role: "tool", content: await Promise.all(calls.map(perform)) });
      }
    },
    async stream(onDelta) {
      const { stream } = await model.doStream({ prompt: start(), tools });
      for await (const part of stream) if (part.type === "text-delta") onDelta(part.delta);
    },
  };
}
