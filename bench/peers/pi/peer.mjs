/** pi-agent-core. Its fake model pushes into its own event stream, as its real providers do. */
import { counters } from "../../scenario.mjs";

export async function load() {
  const [core, ai] = await Promise.all([import("@mariozechner/pi-agent-core"), import("@mariozechner/pi-ai")]);
  return { Agent: core.Agent, ...ai };
}

const noCost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const model = {
  id: "m",
  name: "m",
  api: "openai-completions",
  provider: "local",
  baseUrl: "http://127.0.0.1:1/v1",
  reasoning: false,
  input: ["text"],
  cost: noCost,
  contextWindow: 1e6,
  maxTokens: 4096,
};

export function makeAgent({ Agent, AssistantMessageEventStream, Type }, scenario) {
  const add = {
    name: "add",
    label: "Add",
    description: "Add two numbers",
    parameters: Type.Object({ a: Type.Number(), b: Type.Number() }),
    execute: async (_id, input) => ({ content: [{ type: "text", text: JSON.stringify(scenario.tool(input)) }], details: {} }),
  };
  const streamFn = (_model, context) => {
    counters.modelCalls++;
    const step = context.messages.filter(({ role }) => role === "assistant").length;
    const stream = new AssistantMessageEventStream();
    const play = () => push(stream, scenario.next(step));
    const wait = scenario.wait();
    if (wait) wait.then(play);
    else queueMicrotask(play);
    return stream;
  };
  const initialState = { systemPrompt: "You are helpful.", model, tools: [add] };
  const make = () => new Agent({ initialState, getApiKey: () => "k", streamFn }); // it holds the transcript: one a conversation
  return {
    async run() {
      const agent = make();
      await agent.prompt("Go.");
      return textOf(agent.state.messages.at(-1));
    },
    async stream(onDelta) {
      const agent = make();
      agent.subscribe(({ type, assistantMessageEvent: event }) => {
        if (type === "message_update" && event.type === "text_delta") onDelta(event.delta);
      });
      await agent.prompt("Go.");
    },
  };
}

function push(stream, { calls, text, pieces = [text] }) {
  const partial = message(calls ? "toolUse" : "stop");
  stream.push({ type: "start", partial });
  for (const [contentIndex, call] of (calls ?? []).entries()) {
    partial.content.push({ type: "toolCall", id: call.id, name: call.name, arguments: call.args });
    stream.push({ type: "toolcall_start", contentIndex, partial });
    stream.push({ type: "toolcall_delta", contentIndex, delta: JSON.stringify(call.args), partial });
    stream.push({ type: "toolcall_end", contentIndex, toolCall: partial.content[contentIndex], partial });
  }
  if (!calls) {
    partial.content.push({ type: "text", text: "" });
    stream.push({ type: "text_start", contentIndex: 0, partial });
    for (const delta of pieces) {
      partial.content[0].text += delta;
      stream.push({ type: "text_delta", contentIndex: 0, delta, partial });
    }
    stream.push({ type: "text_end", contentIndex: 0, content: partial.content[0].text, partial });
  }
  stream.push({ type: "done", reason: partial.stopReason, message: partial });
  stream.end();
}

function message(stopReason) {
  const usage = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, totalTokens: 15, cost: { ...noCost, total: 0 } };
  return { role: "assistant", content: [], api: model.api, provider: model.provider, model: model.id, usage, stopReason, timestamp: Date.now() };
}

function textOf({ stopReason, errorMessage, content }) {
  if (stopReason === "error") throw new Error(errorMessage);
  return content.map(({ text = "" }) => text).join("");
}
