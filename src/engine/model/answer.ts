/** A model's answer in the house's own shapes, and the judgement whether it is a whole one. */
import { isPlainObject } from "../../base/json.ts";
import type { AssistantMessage, FilePart, ProviderOptions, ToolCallPart } from "../../core/message.ts";
import type { FinishReason, ModelTraits, Usage } from "../../core/model.ts";
import { CallFault } from "./call-fault.ts";

export interface Answer {
  content: AssistantMessage["content"];
  finishReason: FinishReason;
  usage: Usage;
}

/**
 * `given` has `content`, `finishReason` and `usage` as `doGenerate` gives them: of any spec version.
 * Only a clean finish makes an answer; everything else is a call that failed, silently.
 *
 * @throws CallFault MODEL_STREAM_BROKEN or MODEL_EMPTY
 */
export function answerOf(given: any, { traits }: { traits: ModelTraits }): Answer {
  const parts = given.content ?? [];
  const ids = parts.length > 1 ? new Set<string>() : undefined;
  const found: (Part | undefined)[] = parts.map((part: any) => partOf(part, ids));
  const content = found.includes(undefined) ? found.filter((part) => part !== undefined) : (found as Part[]);
  const finishReason = finishOf(given, traits);
  if (finishReason !== "length" && finishReason !== "content-filter" && !content.some(saysSomething)) {
    throw paid(new CallFault("MODEL_EMPTY", "the answer was empty"), given);
  }
  return { content, finishReason, usage: usageOf(given.usage) };
}

/** Reasoning alone answers nothing. */
export function saysSomething(part: AssistantMessage["content"][number]): boolean {
  return part.type === "text" ? part.text !== "" : part.type !== "reasoning";
}

const clean = new Set<string>(["stop", "length", "tool-calls", "content-filter"]);

/** Words of some servers for a clean end that the packages do not know. */
const cleanWord = /^(eos|eos_token|end|end_turn|stop_sequence|complete|completed|done)$/i;

function finishOf(answer: any, { finishHasRaw }: ModelTraits): FinishReason {
  const { finishReason: given } = answer;
  const isFlat = typeof given === "string"; // V2
  const unified: string | undefined = isFlat ? given : given?.unified;
  const raw: string | undefined = isFlat ? undefined : given?.raw;
  if (unified === "other" && raw !== undefined && cleanWord.test(raw)) return "stop";
  const isWhole = unified !== undefined && clean.has(unified) && (isFlat || raw !== undefined || !finishHasRaw);
  if (isWhole) return unified as FinishReason;
  const message = raw ? `the answer ended with "${raw}"` : "the answer broke off before its end";
  throw paid(new CallFault("MODEL_STREAM_BROKEN", message), answer);
}

/** An answer that is none may have been paid for. */
function paid(fault: CallFault, given: any): CallFault {
  const usage = usageOf(given.usage);
  if (usage.inputTokens + usage.outputTokens > 0) fault.usage = usage;
  return fault;
}

type Part = AssistantMessage["content"][number];

function partOf(given: any, ids: Set<string> | undefined): Part | undefined {
  const signed = optionsOf(given.providerMetadata);
  const part = plainPart(given, ids, signed !== undefined);
  return part && signed ? { ...part, ...signed } : part;
}

/** Nothing for what is no part of the conversation; an empty text may carry a signature. */
function plainPart(given: any, ids: Set<string> | undefined, isSigned: boolean): Part | undefined {
  switch (given.type) {
    case "text":
    case "reasoning":
      return given.text !== "" || isSigned ? { type: given.type, text: given.text } : undefined;
    case "tool-call":
      return given.providerExecuted ? undefined : toolCall(given, ids);
    case "file":
      return file(given);
    default:
      return undefined;
  }
}

/** Copied as JSON: packages go on filling their own objects, and a log that was read back must say the same. */
function optionsOf(metadata: ProviderOptions | undefined): { providerOptions: ProviderOptions } | undefined {
  return metadata && { providerOptions: JSON.parse(JSON.stringify(metadata)) };
}

function toolCall({ toolCallId, toolName, input }: any, ids: Set<string> | undefined): ToolCallPart {
  let id = String(toolCallId ?? "call");
  for (let number = 2; ids?.has(id); number++) id = `${toolCallId ?? "call"}-${number}`; // two calls, one id: two results
  ids?.add(id);
  return { type: "tool-call", toolCallId: id, toolName, input: inputOf(input) };
}

function inputOf(input: unknown): unknown {
  if (typeof input !== "string") return input ?? {};
  if (input.trim() === "") return {};
  try {
    const value = JSON.parse(input);
    return isPlainObject(value) ? value : { input: value };
  } catch {
    return { invalid_json: input };
  }
}

function file({ mediaType, data }: any): FilePart {
  const given = data?.url ?? data?.data ?? data;
  return {
    type: "file",
    mediaType,
    data: given instanceof Uint8Array ? Buffer.from(given).toString("base64") : String(given),
  };
}

function usageOf(usage: any): Usage {
  const { inputTokens: input, outputTokens: output } = usage ?? {};
  const isFlat = typeof input !== "object" || input === null; // V2
  return {
    inputTokens: (isFlat ? input : input.total) ?? 0,
    outputTokens: (isFlat ? output : output?.total) ?? 0,
    cacheReadTokens: (isFlat ? usage?.cachedInputTokens : input.cacheRead) ?? 0,
    cacheWriteTokens: (isFlat ? undefined : input.cacheWrite) ?? 0,
    reasoningTokens: (isFlat ? usage?.reasoningTokens : output?.reasoning) ?? 0,
  };
}
