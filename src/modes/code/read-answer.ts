/** What a model's answer holds for the mode of programs: one program, other calls, or only text. */
import { isPlainObject } from "../../base/json.ts";
import { textOf } from "../../core/message.ts";
import type { AskedCall, ModelResponse } from "../../core/model.ts";

/** The one function that the model sees. */
export const RUN_PROGRAM = "run_program";

/** The id of a program that came as text. */
const FENCED = "fenced";

export interface Answer {
  /** Everything that was asked for, in order. */
  readonly calls: readonly AskedCall[];
  readonly program: AskedCall | undefined;
  /** Of `program`; undefined where its input has none. */
  readonly code: string | undefined;
  /** The program was the text: its report goes back as a message. */
  readonly isFenced: boolean;
}

export function readAnswer(response: Pick<ModelResponse, "content">): Answer {
  const calls = response.content.flatMap((part) => (part.type === "tool-call" ? [toAsked(part)] : []));
  const program = calls.find(({ name }) => name === RUN_PROGRAM);
  if (calls.length > 0) return { calls, program, code: program && codeOf(program.input), isFenced: false };
  const code = fencedProgram(textOf(response));
  if (code === undefined) return { calls, program: undefined, code: undefined, isFenced: false };
  const asked: AskedCall = { id: FENCED, name: RUN_PROGRAM, input: { code } };
  return { calls: [asked], program: asked, code, isFenced: true };
}

function toAsked({ toolCallId, toolName, input }: { toolCallId: string; toolName: string; input: unknown }): AskedCall {
  return { id: toolCallId, name: toolName, input };
}

/** Some models send the text itself, or leave the JSON of a long program broken; then there is none. */
function codeOf(input: unknown): string | undefined {
  if (typeof input === "string") return input;
  return isPlainObject(input) && typeof input.code === "string" ? input.code : undefined;
}

/** A model that cannot call functions: its whole answer is one block of TypeScript. */
function fencedProgram(text: string): string | undefined {
  const match = /^```(?:ts|typescript)[ \t]*\r?\n([\s\S]*?)\r?\n?```$/.exec(text.trim());
  return match && !match[1]!.includes("```") ? match[1] : undefined;
}
