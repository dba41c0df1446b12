/** Runs in workerd, the only place where @cloudflare/codemode runs programs: each in an isolate of its own. */
import { DynamicWorkerExecutor } from "@cloudflare/codemode";
import { createCodeTool } from "@cloudflare/codemode/ai";
import { tool } from "ai";
import { z } from "zod";
import { twentyTools } from "../../twenty-tools.mjs";

let calls = 0;
let isHeld = false;

const add = tool({
  description: "Add two numbers",
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: async ({ a, b }) => {
    calls++;
    while (isHeld) await scheduler.wait(20);
    return { sum: a + b };
  },
});

const doors = {
  async run({ code }, env) {
    const executor = new DynamicWorkerExecutor({ loader: env.LOADER, timeout: 120_000 });
    const { result } = await createCodeTool({ tools: { add }, executor }).execute({ code });
    return { result };
  },
  prompt({ count }, env) {
    const tools = twentyTools(z).slice(0, count).map(({ name, description, input, output }) => [
      name,
      tool({ description, inputSchema: input, outputSchema: output, execute: async () => null }),
    ]);
    const executor = new DynamicWorkerExecutor({ loader: env.LOADER });
    return { prompt: createCodeTool({ tools: Object.fromEntries(tools), executor }).description };
  },
  calls: () => ({ calls }),
  reset: () => ({ calls: (calls = 0) }),
  hold: () => ({ isHeld: (isHeld = true) }),
  release: () => ({ isHeld: (isHeld = false) }),
};

export default {
  async fetch(request, env) {
    try {
      const { door, ...input } = await request.json();
      return Response.json(await doors[door](input, env));
    } catch (error) {
      return Response.json({ error: String(error?.message ?? error) });
    }
  },
};
