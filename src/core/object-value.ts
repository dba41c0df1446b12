/** One value of an object's property: whether it fits, and how the log has it. */
import { decode, encode } from "../base/codec.ts";
import { messageOf } from "../base/errors.ts";
import type { Json } from "../base/json.ts";
import type { WriteAnswer } from "./program.ts";
import { type Checked, issueText, type Validator } from "./schema.ts";

/** What the type makes of the value, encoded: at once, where the type validates at once. Never throws. */
export function readValue(
  path: string,
  type: Validator | undefined,
  given: unknown,
): WriteAnswer | Promise<WriteAnswer> {
  const broken = (error: unknown) => refused(path, `it could not be checked: ${messageOf(error)}`);
  try {
    const checked: Checked | Promise<Checked> = type ? type.check(given) : { ok: true, value: given };
    if (checked instanceof Promise) return checked.then((result) => answer(path, result)).catch(broken);
    return answer(path, checked);
  } catch (error) {
    return broken(error);
  }
}

function answer(path: string, checked: Checked): WriteAnswer {
  if (!checked.ok) return refused(path, issueText(checked.issues));
  try {
    return { ok: true, value: encodeValue(path, checked.value) };
  } catch (error) {
    return { ok: false, message: messageOf(error) };
  }
}

function refused(path: string, why: string): WriteAnswer {
  return { ok: false, message: `The value does not fit ${path}: ${why}` };
}

/** undefined is no JSON, and stays what it is. @throws HaftError `VALUE_NOT_ENCODABLE` */
export function encodeValue(path: string, value: unknown): Json | undefined {
  return value === undefined ? undefined : encode(value, path);
}

export function decodeValue(value: Json | undefined): unknown {
  return value === undefined ? undefined : decode(value);
}
