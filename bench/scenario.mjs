/** What the fake model answers, the same for every peer; counters prove that each peer did the same work. */

export const counters = { modelCalls: 0, toolCalls: 0, characters: 0 };

export function resetCounters() {
  counters.modelCalls = counters.toolCalls = counters.characters = 0;
}

const chunk = "word ";
export const finalText = "The answer is 42.";

/**
 * `text`: one answer. `parN`: N parallel calls, then an answer. `seqN`: N steps of one call, then an answer.
 * `streamN`: one answer in N chunks. The model is stateless: it counts the answers in the history it is sent.
 */
export function makeScenario(name, { latencyMs = 0 } = {}) {
  const [, kind, digits] = /^(text|par|seq|stream)(\d*)$/.exec(name) ?? [];
  const count = Number(digits);
  const call = (step, index) => ({ id: `call_${step}_${index}`, name: "add", args: { a: step, b: index } });
  const final = { text: finalText };
  const scenarios = {
    text: { next: () => final, expect: { modelCalls: 1, toolCalls: 0 } },
    par: {
      next: (step) => (step === 0 ? { calls: Array.from({ length: count }, (_, index) => call(0, index)) } : final),
      expect: { modelCalls: 2, toolCalls: count },
    },
    seq: {
      next: (step) => (step < count ? { calls: [call(step, 0)] } : final),
      expect: { modelCalls: count + 1, toolCalls: count },
    },
    stream: {
      streams: true,
      next: () => ({ text: chunk.repeat(count), pieces: Array(count).fill(chunk) }),
      expect: { modelCalls: 1, toolCalls: 0, characters: count * chunk.length },
    },
  };
  if (!kind) throw new Error(`There is no scenario "${name}"`);
  return {
    name,
    wait: () => (latencyMs ? new Promise((resolve) => setTimeout(resolve, latencyMs)) : undefined),
    tool({ a, b }) {
      counters.toolCalls++;
      return { sum: a + b };
    },
    ...scenarios[kind],
  };
}
