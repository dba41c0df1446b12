/** Hand-written models of each version of the provider spec: what is given is played, what is asked is kept. */
import type { LanguageModel } from "../../../src/index.ts";

export type Version = "v2" | "v3" | "v4";
export const versions: Version[] = ["v2", "v3", "v4"];

export interface SpecModel extends LanguageModel {
  /** The options of each call; the prompt is the array that was given. */
  readonly calls: any[];
}

export interface SpecStep {
  /** Content as `doGenerate` gives it. */
  content?: any[];
  /** Stream parts, without the finish. Default: the content, each block in two deltas. */
  parts?: any[];
  finish?: string;
  /** The provider's own word. Not in V2. */
  raw?: string | undefined;
  /** Thrown by the call. */
  error?: unknown;
}

export function specModel(version: Version, steps: readonly SpecStep[], provider = "spec.chat"): SpecModel {
  const calls: any[] = [];
  const next = (options: any): SpecStep => {
    const step = steps[calls.length];
    calls.push(options);
    if (!step) throw new Error(`the script has ${steps.length} steps`);
    if (step.error !== undefined) throw step.error;
    return step;
  };
  return {
    specificationVersion: version,
    provider,
    modelId: "m",
    calls,
    async doGenerate(options: any) {
      const step = next(options);
      return { content: step.content ?? [], ...ending(version, step), warnings: [] };
    },
    async doStream(options: any) {
      const step = next(options);
      const parts = [...(step.parts ?? (step.content ?? []).flatMap(streamed))];
      if (step.finish !== "none") parts.push({ type: "finish", ...ending(version, step) });
      return {
        stream: new ReadableStream({
          pull(controller) {
            if (parts.length > 0) controller.enqueue(parts.shift());
            else controller.close();
          },
        }),
      };
    },
  };
}

export function text(text: string, more: object = {}): any {
  return { type: "text", text, ...more };
}

export function call(toolName: string, input: unknown = {}, more: object = {}): any {
  const json = typeof input === "string" ? input : JSON.stringify(input);
  return { type: "tool-call", toolCallId: `id-${toolName}`, toolName, input: json, ...more };
}

function ending(version: Version, { content, finish, raw }: SpecStep) {
  const unified = finish ?? (content?.some(({ type }) => type === "tool-call") ? "tool-calls" : "stop");
  if (version === "v2") {
    return {
      finishReason: unified,
      usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15, reasoningTokens: 2, cachedInputTokens: 4 },
    };
  }
  return {
    finishReason: { unified, raw: raw ?? unified },
    usage: {
      inputTokens: { total: 10, noCache: 5, cacheRead: 4, cacheWrite: 1 },
      outputTokens: { total: 5, text: 3, reasoning: 2 },
    },
  };
}

let blocks = 0;

function streamed(part: any): any[] {
  if (part.type !== "text" && part.type !== "reasoning") return [part];
  const { type, text, providerMetadata } = part;
  const id = String(blocks++);
  const half = Math.ceil(text.length / 2);
  return [
    { type: `${type}-start`, id },
    { type: `${type}-delta`, id, delta: text.slice(0, half) },
    { type: `${type}-delta`, id, delta: text.slice(half) },
    { type: `${type}-end`, id, ...(providerMetadata && { providerMetadata }) },
  ];
}
