/** A model that answers from a script: the one test double of the house. */
import { HaftError } from "../base/errors.ts";
import type { LanguageModel } from "../core/model.ts";

export interface ScriptedStep {
  text?: string;
  /** The text in these pieces when it is streamed. */
  pieces?: string[];
  reasoning?: string;
  /** `input` is sent as JSON; text is sent as it is, also when it is no JSON. */
  toolCalls?: { id?: string; name: string; input?: unknown }[];
  usage?: { inputTokens?: number; outputTokens?: number };
  finishReason?: "stop" | "length" | "tool-calls" | "content-filter";
  /** Thrown in place of an answer. */
  error?: unknown;
  /** Milliseconds before the answer. */
  delayMs?: number;
}

/** What the model was asked, in the provider spec's own shape. */
export interface ScriptedRequest {
  prompt: any[];
  tools?: { name: string; description?: string; inputSchema: any }[];
  [option: string]: any;
}

export type Script = readonly (ScriptedStep | string | ((request: ScriptedRequest) => ScriptedStep | string))[];

export interface ScriptedModel extends LanguageModel {
  /** Every request so far. The prompt is copied. */
  readonly requests: ScriptedRequest[];
  /** How many steps were played. */
  readonly played: number;
}

/**
 * Plays the steps in order; a text is a step with that text, a function sees the request. More calls than steps
 * fail with HaftError `SCRIPT_ENDED`, a step with another field than those above with `SCRIPT_INVALID`.
 *
 * ```ts
 * const model = scriptedModel([{ toolCalls: [{ name: "add", input: { a: 1, b: 2 } }] }, "The sum is 3."]);
 * ```
 */
export function scriptedModel(script: Script, options: { provider?: string; modelId?: string } = {}): ScriptedModel {
  const requests: ScriptedRequest[] = [];
  let played = 0;
  const next = async (request: ScriptedRequest): Promise<ScriptedStep> => {
    requests.push({ ...request, prompt: [...request.prompt] });
    const given = script[played];
    if (given === undefined) {
      throw new HaftError("SCRIPT_ENDED", `The script has ${script.length} steps, and the model was called once more`);
    }
    const number = ++played;
    const answer = typeof given === "function" ? given(request) : given;
    const step = typeof answer === "string" ? { text: answer } : checked(answer, number);
    if (step.delayMs) await delay(step.delayMs, request.abortSignal);
    if (step.error !== undefined) throw step.error;
    return {
      ...step,
      toolCalls: step.toolCalls?.map((call, index) => ({ id: `call_${number}_${index + 1}`, ...call })),
    };
  };
  return {
    specificationVersion: "v3",
    provider: options.provider ?? "scripted",
    modelId: options.modelId ?? "script",
    requests,
    get played() {
      return played;
    },
    async doGenerate(request: ScriptedRequest) {
      const step = await next(request);
      return { content: contentOf(step), finishReason: finishOf(step), usage: usageOf(step), warnings: [] };
    },
    async doStream(request: ScriptedRequest) {
      const step = await next(request);
      const parts = streamOf(step);
      return {
        stream: new ReadableStream({
          pull(controller) {
            const { done, value } = parts.next();
            if (done) controller.close();
            else controller.enqueue(value);
          },
        }),
      };
    },
  };
}

const fields = [
  "text",
  "pieces",
  "reasoning",
  "toolCalls",
  "usage",
  "finishReason",
  "error",
  "delayMs",
] as const satisfies (keyof ScriptedStep)[];

/** A field that was misspelt would be an answer that says nothing. */
function checked(step: ScriptedStep, number: number): ScriptedStep {
  const unknown = Object.keys(step).find((key) => !fields.some((field) => field === key));
  if (unknown === undefined) return step;
  throw new HaftError("SCRIPT_INVALID", `Step ${number} of the script has a field "${unknown}" that is not known`, {
    hint: `The fields of a step are: ${fields.join(", ")}.`,
  });
}

function contentOf(step: ScriptedStep): unknown[] {
  const text = step.text ?? step.pieces?.join("");
  return [
    ...(step.reasoning ? [{ type: "reasoning", text: step.reasoning }] : []),
    ...(text ? [{ type: "text", text }] : []),
    ...(step.toolCalls ?? []).map(({ id, name, input }) => ({
      type: "tool-call",
      toolCallId: id,
      toolName: name,
      input: inputText(input),
    })),
  ];
}

function* streamOf(step: ScriptedStep): Generator<unknown, void> {
  yield { type: "stream-start", warnings: [] };
  if (step.reasoning) {
    yield { type: "reasoning-start", id: "r" };
    yield { type: "reasoning-delta", id: "r", delta: step.reasoning };
    yield { type: "reasoning-end", id: "r" };
  }
  const pieces = step.pieces ?? (step.text ? [step.text] : []);
  if (pieces.length > 0) {
    yield { type: "text-start", id: "t" };
    for (const delta of pieces) yield { type: "text-delta", id: "t", delta };
    yield { type: "text-end", id: "t" };
  }
  for (const { id, name, input } of step.toolCalls ?? []) {
    yield { type: "tool-input-start", id, toolName: name };
    yield { type: "tool-input-delta", id, delta: inputText(input) };
    yield { type: "tool-input-end", id };
    yield { type: "tool-call", toolCallId: id, toolName: name, input: inputText(input) };
  }
  yield { type: "finish", finishReason: finishOf(step), usage: usageOf(step) };
}

function inputText(input: unknown): string {
  return typeof input === "string" ? input : JSON.stringify(input ?? {});
}

function finishOf(step: ScriptedStep) {
  const unified = step.finishReason ?? (step.toolCalls?.length ? "tool-calls" : "stop");
  return { unified, raw: unified };
}

function usageOf({ usage = {} }: ScriptedStep) {
  const { inputTokens = 10, outputTokens = 5 } = usage;
  return {
    inputTokens: { total: inputTokens, noCache: inputTokens, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: outputTokens, text: outputTokens, reasoning: 0 },
  };
}

function delay(ms: number, abortSignal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    const stop = () => {
      clearTimeout(timer);
      reject(abortSignal!.reason);
    };
    abortSignal?.addEventListener("abort", stop, { once: true });
  });
}
