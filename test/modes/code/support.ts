/** Short words for the tests of programs. */

import { codeModeOf } from "../../../src/modes/code/code-mode.ts";
import type { ScriptedRequest, ScriptedStep } from "../../../src/testing/index.ts";
import { inlineVm } from "../../../src/vm/program-vm.ts";
import { execute, scriptedModel } from "../../engine/support.ts";

/** Quick, and the same driver: the VM's own tests run both kinds. */
export const mode = codeModeOf({ vm: inlineVm(), checker: undefined });

/** An answer that is this program. */
export function program(code: string): ScriptedStep {
  return { toolCalls: [{ name: "run_program", input: { code } }] };
}

type Options = Omit<Parameters<typeof execute>[0], "model">;

/** Runs these programs one after the other; the model ends with a text. Gives also what the model read of each. */
export async function runPrograms(codes: readonly string[], options: Options = {}) {
  const model = scriptedModel([...codes.map(program), "the end"]);
  const result = await execute({ model, mode, prompt: "go", iterations: codes.length + 1, ...options });
  return { result, model, reports: model.requests.slice(1).map(lastReport) };
}

/** What the model was told last of a program. */
export function lastReport({ prompt }: ScriptedRequest): string {
  const message = prompt.filter(({ role }) => role === "tool").at(-1);
  const output = message?.content.at(-1)?.output;
  return output?.type === "content" ? output.value[0].text : String(output?.value);
}
