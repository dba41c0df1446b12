/** What a handler gives back, beyond a plain value: success with extras, or a failure that the model reads. */

import { decode, encode } from "../base/codec.ts";
import { HaftError, messageOf } from "../base/errors.ts";
import { describeValue, isPlainObject } from "../base/json.ts";
import { hasBrand } from "../base/kinds.ts";
import { plain } from "./plain.ts";

/** What the model is shown of a result, instead of the value itself. */
export type ContentPart =
  | { type: "text"; text: string }
  /** `data` is base64. */
  | { type: "image"; data: string; mediaType: string };

export interface OkExtras {
  /** Merged into the run's assigns when every call of the batch is over. */
  assigns?: Record<string, unknown>;
  /** Shown to the model in place of the value. Programs and hooks still get the value. */
  content?: ContentPart[];
}

const brand = Symbol.for("haft.result");

export interface ToolOk<T = any> {
  readonly [brand]: "ok";
  readonly value: T;
  readonly assigns?: Record<string, unknown>;
  readonly content?: ContentPart[];
}

export interface ToolFail {
  readonly [brand]: "fail";
  readonly reason: unknown;
}

/**
 * Success with extras: `return ok(value, { assigns: { seen: true } })`.
 *
 * @throws HaftError `RESULT_INVALID` for a promise, assigns that are no object, or content that is no list of parts.
 */
export function ok<const T>(value: T, extras: OkExtras = {}): ToolOk<T> {
  const { assigns, content } = extras;
  if (value instanceof Promise) throw badResult("ok() was given a Promise; await it first");
  if (assigns !== undefined && !isPlainObject(assigns))
    throw badResult(`ok(): assigns must be an object, not ${describeValue(assigns)}`);
  if (content !== undefined && !(Array.isArray(content) && content.every(isContentPart))) {
    throw badResult('ok(): content must be a list of { type: "text", text } and { type: "image", data, mediaType }');
  }
  return { [brand]: "ok", value, ...(assigns && { assigns }), ...(content && { content }) };
}

function isContentPart(part: unknown): boolean {
  const { type, text, data, mediaType } = (part ?? {}) as Record<string, unknown>;
  return type === "text"
    ? typeof text === "string"
    : type === "image" && typeof data === "string" && typeof mediaType === "string";
}

function badResult(message: string): HaftError {
  return new HaftError("RESULT_INVALID", message);
}

/** Failure without throwing. The model reads the reason: text verbatim, an Error's message, anything else as JSON. */
export function fail(reason: unknown): ToolFail {
  return { [brand]: "fail", reason };
}

export function isOk(value: unknown): value is ToolOk {
  return hasBrand(value, brand, "ok");
}

export function isFail(value: unknown): value is ToolFail {
  return hasBrand(value, brand, "fail");
}

export function failureOf({ reason }: ToolFail): HaftError {
  if (HaftError.is(reason)) return reason;
  const { code, data } = (reason ?? {}) as { code?: unknown; data?: unknown };
  return new HaftError(typeof code === "string" ? code : "TOOL_FAILED", reasonText(reason), {
    cause: reason,
    ...(isPlainObject(data) && { data }),
  });
}

function reasonText(reason: unknown): string {
  if (reason === undefined || reason === null || reason === "") return "The tool failed and gave no reason";
  if (typeof reason !== "object" || reason instanceof Error) return messageOf(reason);
  try {
    return modelText(decode(encode(reason, "reason")));
  } catch (error) {
    return `The tool failed, and its reason cannot be told: ${messageOf(error)}`;
  }
}

/** A value as the model reads it: text verbatim, everything else as JSON, nothing as nothing. */
export function modelText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined) return "";
  return JSON.stringify(plain(value));
}
