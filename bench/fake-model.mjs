/** A model of the AI SDK provider spec that plays a scenario: shared by every peer that takes one. */
import { counters } from "./scenario.mjs";

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};

export function fakeModel(scenario, version = "v3") {
  const answer = async (prompt) => {
    counters.modelCalls++;
    const wait = scenario.wait();
    if (wait) await wait;
    let step = 0;
    for (const message of prompt) if (message.role === "assistant") step++;
    return scenario.next(step);
  };
  return {
    specificationVersion: version,
    provider: "fake",
    modelId: "fake-1",
    supportedUrls: {},
    async doGenerate({ prompt }) {
      const { calls, text } = await answer(prompt);
      const content = calls ? calls.map(toolCall) : [{ type: "text", text }];
      return { content, finishReason: finish(calls), usage, warnings: [] };
    },
    async doStream({ prompt }) {
      const parts = partsOf(await answer(prompt));
      const stream = new ReadableStream({
        pull(controller) {
          const { done, value } = parts.next();
          if (done) controller.close();
          else controller.enqueue(value);
        },
      });
      return { stream };
    },
  };
}

function* partsOf({ calls, text, pieces = [text] }) {
  yield { type: "stream-start", warnings: [] };
  for (const call of calls ?? []) {
    const input = JSON.stringify(call.args);
    yield { type: "tool-input-start", id: call.id, toolName: call.name };
    yield { type: "tool-input-delta", id: call.id, delta: input };
    yield { type: "tool-input-end", id: call.id };
    yield toolCall(call);
  }
  if (!calls) {
    yield { type: "text-start", id: "t" };
    for (const delta of pieces) yield { type: "text-delta", id: "t", delta };
    yield { type: "text-end", id: "t" };
  }
  yield { type: "finish", finishReason: finish(calls), usage };
}

const toolCall = ({ id, name, args }) => ({
  type: "tool-call",
  toolCallId: id,
  toolName: name,
  input: JSON.stringify(args),
});
const finish = (calls) => (calls ? { unified: "tool-calls", raw: "tool-calls" } : { unified: "stop", raw: "stop" });
