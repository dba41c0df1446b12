/** Reads what a provider package threw or sent: the facts, none of its dumps. Its objects may hold the whole prompt. */
import { messageOf } from "../../base/errors.ts";

export interface ProviderError {
  /** Of HTTP, where it says something: 200 is told by `kind`. */
  status: number | undefined;
  /** The provider's own words for what happened, such as `rate_limit_error`. */
  words: ReadonlySet<string>;
  /**
   * What the package found: the connection failed; what came could not be read, or broke off; a web page came; the
   * package itself wants a key; the package itself refuses the request.
   */
  kind: "network" | "garbled" | "web-page" | "key" | "request" | undefined;
  /** One sentence for a person, without keys. */
  text: string;
  /** The package thinks that the same request may work. */
  isRetryable: boolean;
  /** What the provider asked to wait, in milliseconds. */
  retryAfterMs: number | undefined;
}

export function readProviderError(thrown: unknown): ProviderError {
  const fault = innermost(thrown);
  const kind = kindOf(fault);
  return {
    status: statusOf(fault),
    words: wordsOf(fault),
    kind,
    text: sentenceFor(fault.name, kind) ?? sentenceOf(fault),
    isRetryable: fault.isRetryable === true,
    retryAfterMs: retryAfterOf(fault),
  };
}

/** A provider's own object inside the package's error says more. */
function innermost(thrown: unknown): any {
  if (typeof thrown !== "object" || thrown === null) return { message: String(thrown) };
  const { name, value, error } = thrown as { name?: string; value?: any; error?: any };
  const inner =
    name === "AI_TypeValidationError" ? (value?.error ?? value) : thrown instanceof Error ? undefined : error;
  return typeof inner?.message === "string" ? inner : thrown;
}

function statusOf(fault: any): number | undefined {
  for (const value of [fault.statusCode, fault.status, fault.code]) {
    const number = typeof value === "string" && /^\d{3}$/.test(value) ? Number(value) : value;
    if (typeof number === "number" && number >= 300 && number < 600) return number;
  }
  return undefined;
}

function wordsOf(fault: any): ReadonlySet<string> {
  const detail = fault.data?.error;
  const words = [fault.type, fault.code, detail?.type, detail?.code];
  return new Set(words.filter((word) => typeof word === "string"));
}

const requestErrors = /^AI_(NoSuchModel|UnsupportedFunctionality|InvalidPrompt|InvalidArgument)Error$/;
const garbledErrors = /^AI_(JSONParse|TypeValidation|InvalidResponseData|EmptyResponseBody|NoContentGenerated)Error$/;

function kindOf(fault: any): ProviderError["kind"] {
  const name = String(fault.name);
  if (/^AI_Load(APIKey|Setting)Error$/.test(name)) return "key";
  if (requestErrors.test(name)) return "request";
  if (fault.statusCode === 200) return /^\s*</.test(fault.responseBody ?? "") ? "web-page" : "garbled";
  if (garbledErrors.test(name)) return "garbled";
  if (name === "TypeError" && /terminated/.test(fault.message)) return "garbled";
  return isNetwork(fault) ? "network" : undefined;
}

/** A TypeError is what `fetch` throws, and what a mistake in a program throws. */
function isNetwork(fault: any): boolean {
  for (let cause = fault, depth = 0; cause && depth < 4; cause = cause.cause, depth++) {
    if (cause.name === "TypeError" && /fetch|network|socket|connect|terminated/i.test(cause.message)) return true;
    if (/^(ECONN|ETIMEDOUT|ENOTFOUND|EPIPE|EHOST|ENET|EAI_AGAIN|UND_ERR)/.test(String(cause.code))) return true;
  }
  return false;
}

/** Where the package's own sentence quotes what it could not read. */
function sentenceFor(name: unknown, kind: ProviderError["kind"]): string | undefined {
  if (kind === "web-page") return "a web page came instead of an answer";
  if (name === "AI_JSONParseError") return "a part of the answer was not JSON";
  if (name === "AI_TypeValidationError") return "a part of the answer was not of the form that was expected";
  return kind === "garbled" ? "the answer broke off, or could not be read" : undefined;
}

const LONGEST = 300;
const keys = /\b(?:sk|rk|pk|gsk|csk|xai|nvapi|hf|key)[-_][\w*.-]{8,}|\bAIza[\w-]{8,}|\bBearer\s+\S+/g;

function sentenceOf(fault: any): string {
  const [line = ""] = messageOf(fault).trim().split("\n");
  const text = line.replace(keys, "[key]").trim();
  if (text === "" || text === fault.name || text.startsWith("{")) return "no reason was given";
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** Headers of the HTTP standard and of OpenAI; Google says it in the body. */
function retryAfterOf({ responseHeaders, responseBody }: any): number | undefined {
  const exact = Number(responseHeaders?.["retry-after-ms"] ?? Number.NaN);
  if (exact > 0) return exact;
  const text = responseHeaders?.["retry-after"];
  if (!text) return secondsOf(/"retryDelay":\s*"([\d.]+)s"/.exec(responseBody ?? "")?.[1]);
  return secondsOf(text) ?? positive(Date.parse(text) - Date.now());
}

function secondsOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : positive(Number(text) * 1000);
}

function positive(ms: number): number | undefined {
  return ms > 0 ? ms : undefined; // not for NaN either
}
