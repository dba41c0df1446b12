/** Why a model call failed, under a stable code, and whether to ask again, or elsewhere. */
import { HaftError } from "../../base/errors.ts";
import type { Usage } from "../../core/model.ts";
import { BrokenAnswer, CallFault, webPageHint } from "./call-fault.ts";
import { type ProviderError, readProviderError } from "./provider-error.ts";

export interface ModelFailure {
  error: HaftError;
  /** The same call may work in a while. */
  mayHelpAgain: boolean;
  /** Another model may do better. */
  mayHelpElsewhere: boolean;
  /** The connection did not last until the whole answer was there: a stream's may. */
  mayHelpStreamed: boolean;
  /** What the attempt used, where the provider said so. */
  usage?: Usage | undefined;
  /** What the provider asked to wait, in milliseconds. */
  retryAfterMs?: number | undefined;
}

/** Reads what a call threw. Nothing of the thrown object is kept but a sentence. */
export function judge(thrown: unknown, model: string): ModelFailure {
  if (thrown instanceof CallFault) {
    const error = makeError(thrown.code, model, thrown.message, thrown.hint ?? hints[thrown.code]);
    const mayHelpStreamed = thrown.code === "MODEL_SILENT";
    return { error, mayHelpAgain: true, mayHelpElsewhere: true, mayHelpStreamed, usage: thrown.usage };
  }
  const hadBegun = thrown instanceof BrokenAnswer;
  const fault = readProviderError(hadBegun ? thrown.reason : thrown);
  const code = codeOf(fault, hadBegun);
  const isSpent = fault.words.has("insufficient_quota"); // waiting does not fill an account
  const isPassing = passing.has(code);
  return {
    error: makeError(code, model, fault.text, hintFor(code, fault), fault.status),
    mayHelpAgain: isPassing && !isSpent,
    mayHelpElsewhere: isPassing || code === "MODEL_CONTEXT_OVERFLOW",
    mayHelpStreamed: fault.kind === "network" || timeouts.has(fault.status),
    retryAfterMs: fault.retryAfterMs,
  };
}

function makeError(code: string, model: string, text: string, hint: string | undefined, status?: number): HaftError {
  const data = { model, ...(status !== undefined && { status }) };
  return new HaftError(code, `${model}${status ? ` answered ${status}` : ""}: ${text}`, { hint, data });
}

/** Of servers, and of what stands between. */
const timeouts = new Set<number | undefined>([408, 504, 524]);

const passing = new Set(["MODEL_RATE_LIMITED", "MODEL_UNAVAILABLE", "MODEL_STREAM_BROKEN"]);

/** A status says it best; without one, the provider's words; at last, what the package found. */
function codeOf(fault: ProviderError, hadBegun: boolean): string {
  const { status, kind } = fault;
  if (isAboutKey(fault)) return "MODEL_AUTH";
  if (isTooLong(fault)) return "MODEL_CONTEXT_OVERFLOW";
  if (status !== undefined) return codeOfStatus(status);
  if (hasAny(fault, limitWords)) return "MODEL_RATE_LIMITED";
  if (hasAny(fault, busyWords)) return "MODEL_UNAVAILABLE";
  if (hasAny(fault, requestWords) || kind === "request") return "MODEL_REQUEST_INVALID";
  if (kind === "network" || kind === "web-page") return "MODEL_UNAVAILABLE";
  if (kind === "garbled" || hadBegun) return "MODEL_STREAM_BROKEN";
  return fault.isRetryable ? "MODEL_UNAVAILABLE" : "MODEL_FAILED";
}

function codeOfStatus(status: number): string {
  if (status === 429) return "MODEL_RATE_LIMITED";
  return status >= 500 || [408, 409, 425].includes(status) ? "MODEL_UNAVAILABLE" : "MODEL_REQUEST_INVALID";
}

const keyWords = ["authentication_error", "permission_error", "invalid_api_key", "billing_error"];
const limitWords = ["rate_limit_error", "rate_limit_exceeded", "insufficient_quota"];
const busyWords = ["overloaded_error", "api_error", "server_error", "timeout_error"];
const requestWords = ["invalid_request_error", "not_found_error", "model_not_found"];

function hasAny({ words }: ProviderError, some: readonly string[]): boolean {
  return some.some((word) => words.has(word));
}

function isAboutKey(fault: ProviderError): boolean {
  const { status, kind, text } = fault;
  if (status === 401 || status === 402 || status === 403 || kind === "key") return true;
  if (status === 400) return /api.?key.{0,20}(not valid|invalid|expired)|invalid api.?key/i.test(text); // Google's
  return status === undefined && hasAny(fault, keyWords);
}

const overflow =
  /context.{0,3}(length|window|size)|exceeds? (the )?(available )?context|maximum (context|prompt) length|(prompt|input|request) is too (long|large)|input token count.*exceeds|reduce the length of|request too large/i;

/** Each provider says it in its own words, most of them with status 400. */
function isTooLong({ status, words, text }: ProviderError): boolean {
  if (words.has("context_length_exceeded") || status === 413) return true;
  return (status === undefined || status === 400 || status === 422) && overflow.test(text);
}

const hints: Record<string, string> = {
  MODEL_AUTH:
    "Look at the provider's key and account: is the key whole, is it allowed to use this model, is there credit?",
  MODEL_RATE_LIMITED: "Wait, ask the provider for more, or name a second model as a fallback.",
  MODEL_UNAVAILABLE: "It may be over in a while. A second model can be named as a fallback.",
  MODEL_REQUEST_INVALID: "The provider refuses the request as it is; repeating it does not help.",
  MODEL_CONTEXT_OVERFLOW:
    "The conversation is longer than the model can read: start a new one, let tools return less, or name a model with a larger context as a fallback.",
  MODEL_STREAM_BROKEN: "The connection, a proxy or the provider broke the answer off. It may work another time.",
  MODEL_SILENT: "A model that thinks for longer needs a larger modelLimits.idleMs.",
  MODEL_EMPTY: "The model ended its turn without a word or a call. Another instruction or model may help.",
  MODEL_FAILED: "The model object failed by itself. Its own documentation may say why.",
};

function hintFor(code: string, { status, kind }: ProviderError): string | undefined {
  if (status === 404) return "Look at the model's name and the base URL: what was asked for is not there.";
  if (kind === "web-page") return webPageHint;
  if (kind === "network") return "Is the server there, and is the base URL right?";
  return hints[code];
}
