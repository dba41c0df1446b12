/** LangGraph with its SQLite checkpointer: the usual graph of a model and its tools, one thread a run. */
import { join } from "node:path";
import { counters } from "../../scenario.mjs";

export async function load() {
  const [graph, prebuilt, messages, tools, { SqliteSaver }, { z }] = await Promise.all([
    import("@langchain/langgraph"),
    import("@langchain/langgraph/prebuilt"),
    import("@langchain/core/messages"),
    import("@langchain/core/tools"),
    import("@langchain/langgraph-checkpoint-sqlite"),
    import("zod"),
  ]);
  return { ...graph, ...prebuilt, ...messages, ...tools, SqliteSaver, z };
}

export function makeLogged({ AIMessage, END, MessagesAnnotation, START, SqliteSaver, StateGraph, ToolNode, tool, z }, folder) {
  const checkpointer = SqliteSaver.fromConnString(join(folder, "langgraph.db"));
  let threads = 0;

  const answer = (scenario, messages) => {
    counters.modelCalls++;
    const step = messages.filter((message) => message.getType() === "ai").length;
    const { calls, text } = scenario.next(step);
    const tool_calls = (calls ?? []).map((call) => ({ ...call, type: "tool_call" }));
    return new AIMessage({ content: text ?? "", tool_calls });
  };

  const compile = (scenario) => {
    const schema = z.object({ a: z.number(), b: z.number() });
    const add = tool(async (input) => JSON.stringify(scenario.tool(input)), {
      name: "add",
      description: "Add two numbers",
      schema,
    });
    return new StateGraph(MessagesAnnotation)
      .addNode("model", async ({ messages }) => ({ messages: [answer(scenario, messages)] }))
      .addNode("tools", new ToolNode([add]))
      .addEdge(START, "model")
      .addConditionalEdges("model", ({ messages }) => (messages.at(-1).tool_calls?.length > 0 ? "tools" : END))
      .addEdge("tools", "model")
      .compile({ checkpointer });
  };

  return {
    async run(scenario) {
      const config = { configurable: { thread_id: `bench-${++threads}` }, recursionLimit: 100_000 };
      const { messages } = await compile(scenario).invoke({ messages: [{ role: "user", content: "Go." }] }, config);
      return messages.at(-1).content;
    },
  };
}
