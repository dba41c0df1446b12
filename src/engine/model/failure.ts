/** Why a model call failed: ours to explain, the provider's to repeat, or nobody's to mend. */
import { HaftError, messageOf } from "../../base/errors.ts";

export interface ModelFailure {
  error: HaftError;
  /** The same call may work in a while, or elsewhere. */
  isRetryable: boolean;
  /** What the provider asked to wait, in milliseconds. */
  retryAfterMs?: number;
}

/** Thrown inside a model call for what the loop itself saw. */
export class CallFault extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const retryableStatus = new Set([408, 409, 425, 429]);
const retryableTypes = new Set(["overloaded_error", "api_error", "rate_limit_error", "server_error"]);

/** Reads what a provider package threw or sent as an error part. Its object may hold the whole prompt: it is not kept. */
export function judge(thrown: unknown, model: string): ModelFailure {
  const fault = unwrap(thrown);
  const status = statusOf(fault);
  const text = sentence(fault);
  if (fault instanceof CallFault) {
    return { error: new HaftError(fault.code, `${model}: ${fault.message}`, { data: { model } }), isRetryable: true };
  }
  const code = codeFor(status, fault, text);
  const isRetryable =
    status !== undefined && status !== 200
      ? status >= 500 || retryableStatus.has(status)
      : fault.isRetryable === true || retryableTypes.has(fault.type) || isNetwork(fault) || isBroken(text);
  const data = { model, ...(status !== undefined && { status }) };
  const error = new HaftError(
    code,
    `${model} ${status && status !== 200 ? `answered ${status}: ` : "failed: "}${text}`,
    {
      data,
      ...(hints[code] && { hint: hints[code] }),
    },
  );
  return { error, isRetryable, retryAfterMs: retryAfter(fault.responseHeaders) };
}

const hints: Record<string, string> = {
  MODEL_AUTH: "Look at the provider's key: is it set, whole, and allowed to use this model?",
  MODEL_RATE_LIMITED: "Wait, ask the provider for more, or name a second model as a fallback.",
  MODEL_UNAVAILABLE: "It may be over in a while. A second model can be named as a fallback.",
  MODEL_REQUEST_INVALID: "The provider refused the request as it is; repeating it does not help.",
};

function codeFor(status: number | undefined, fault: any, text: string): string {
  if (status === 401 || status === 403) return "MODEL_AUTH";
  if (status === 429 || fault.type === "rate_limit_error") return "MODEL_RATE_LIMITED";
  if (status !== undefined && status >= 500) return "MODEL_UNAVAILABLE";
  if (status !== undefined && status >= 400) return "MODEL_REQUEST_INVALID";
  if (retryableTypes.has(fault.type) || (isNetwork(fault) && !isBroken(text))) return "MODEL_UNAVAILABLE";
  return "MODEL_STREAM_BROKEN";
}

/** A provider's own object inside the package's error says more. */
function unwrap(thrown: unknown): any {
  if (typeof thrown === "string") return { message: thrown };
  if (typeof thrown !== "object" || thrown === null) return { message: String(thrown) };
  const { name, value } = thrown as { name?: string; value?: any };
  if (name === "AI_TypeValidationError" && typeof value?.message === "string") return value;
  if (name === "AI_RetryError" && (thrown as any).lastError) return (thrown as any).lastError;
  return thrown;
}

function statusOf(fault: any): number | undefined {
  for (const value of [fault.statusCode, fault.status, fault.code]) {
    const number = typeof value === "string" && /^\d{3}$/.test(value) ? Number(value) : value;
    if (typeof number === "number" && number >= 200 && number < 600) return number;
  }
  return undefined;
}

function sentence(fault: any): string {
  const text = messageOf(fault).split("\n")[0]!.trim();
  return text.length > 300 ? `${text.slice(0, 300)}…` : text || "no reason was given";
}

function isNetwork(fault: any): boolean {
  for (let cause = fault, depth = 0; cause && depth < 4; cause = cause.cause, depth++) {
    if (cause instanceof TypeError) return true;
    if (typeof cause.code === "string" && /^(ECONN|ETIMEDOUT|ENOTFOUND|EPIPE|EAI_AGAIN|UND_ERR)/.test(cause.code))
      return true;
  }
  return false;
}

function isBroken(text: string): boolean {
  return /terminated|invalid json|json parsing failed|failed to process successful response|socket|ended without/i.test(
    text,
  );
}

function retryAfter(headers: Record<string, string> | undefined): number | undefined {
  const text = headers?.["retry-after"] ?? headers?.["Retry-After"];
  if (!text) return undefined;
  const seconds = Number(text);
  const waitMs = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(waitMs) && waitMs > 0 ? waitMs : undefined;
}
