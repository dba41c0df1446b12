/** The AI SDK's agent, the same in both of its lines. */
export function toolLoopAgent({ ai, z }, scenario, model) {
  const add = ai.tool({
    description: "Add two numbers",
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    execute: async (input) => scenario.tool(input),
  });
  const stopWhen = (ai.stepCountIs ?? ai.isStepCount)(100_000);
  const agent = new ai.ToolLoopAgent({ model, instructions: "You are helpful.", tools: { add }, stopWhen });
  return {
    async run() {
      const { text } = await agent.generate({ prompt: "Go." });
      return text;
    },
    async stream(onDelta) {
      const { textStream } = await agent.stream({ prompt: "Go." });
      for await (const text of textStream) onDelta(text);
    },
  };
}
