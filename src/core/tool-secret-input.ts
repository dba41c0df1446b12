/** Parameters that are secrets: a model gives the name of one, the handler gets its value, and the log keeps the name. */
import { HaftError } from "../base/errors.ts";
import { isPlainObject } from "../base/json.ts";
import type { ToolContext } from "./context.ts";
import { followRef, type JsonSchema } from "./json-schema.ts";
import type { Tool } from "./tool.ts";

/** The schema with names of secrets in the place of values: those that are known, or any. */
export function withSecretNames(schema: JsonSchema, keys: readonly string[], names?: readonly string[]): JsonSchema {
  const properties = { ...schema.properties } as Record<string, JsonSchema>;
  for (const key of keys) {
    const { description } = followRef(properties[key] ?? {}, schema);
    properties[key] = { type: "string", ...nameOf(typeof description === "string" ? description : undefined, names) };
  }
  return { ...schema, properties };
}

/**
 * The input with values in the place of names.
 *
 * @throws HaftError `TOOL_INPUT_INVALID` for what names no secret that the tool may use
 */
export function revealSecrets(
  { name, definition: { secretInput } }: Tool,
  input: unknown,
  { secrets }: ToolContext,
): unknown {
  if (!secretInput || !isPlainObject(input)) return input;
  const revealed = { ...input };
  for (const key of secretInput) {
    const given = input[key];
    if (given === undefined) continue;
    if (typeof given !== "string" || !secrets.names.includes(given)) {
      throw new HaftError(
        "TOOL_INPUT_INVALID",
        `Tool "${name}" received invalid input: ${key}: is not the name of a secret`,
        {
          hint: `The secrets of this tool are: ${secrets.names.join(", ") || "none"}.`,
        },
      );
    }
    revealed[key] = secrets.get(given);
  }
  return revealed;
}

/** @throws HaftError `TOOL_INVALID` */
export function checkSecretInput(keys: unknown, inputSchema: JsonSchema, wrapsInput: boolean, owner: string): void {
  if (keys === undefined) return;
  if (!Array.isArray(keys) || !keys.every((key) => typeof key === "string"))
    throw new HaftError("TOOL_INVALID", `${owner}: secretInput must be a list of the names of parameters`);
  if (wrapsInput) throw new HaftError("TOOL_INVALID", `${owner}: secretInput needs an input that is an object`);
  const properties = (inputSchema.properties ?? {}) as Record<string, unknown>;
  if (inputSchema.additionalProperties === true) return;
  const unknown = keys.find((key) => !Object.hasOwn(properties, key));
  if (unknown === undefined) return;
  const there = Object.keys(properties).join(", ") || "nothing";
  throw new HaftError("TOOL_INVALID", `${owner}: secretInput has "${unknown}", which its input does not have`, {
    hint: `Its input has: ${there}.`,
  });
}

const SENTENCE = "The name of a secret, which is replaced by its value.";

/** The schema of a tool may have the sentence already, from before the names were known. */
function nameOf(description: string | undefined, names: readonly string[] | undefined) {
  const own = description?.replace(SENTENCE, "").trim().replace(/\.$/, "");
  const what = own ? `${own}. ` : "";
  if (names?.length === 0) return { description: `${what}The name of a secret; there is none.` };
  return { description: `${what}${SENTENCE}`, ...(names && { enum: [...names] }) };
}
