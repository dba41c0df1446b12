/** Short words for the tests of sub-agents. */
import type { ExecuteOptions, Run } from "../../src/index.ts";
import { asks, execute, results, type scriptedModel } from "../engine/support.ts";

/** A call of the tool of mode "tools". */
export function give(role: string, task = "do it", input?: unknown): [name: string, input: unknown] {
  return ["subagent", { role, task, ...(input !== undefined && { input }) }];
}

type Scripted = ReturnType<typeof scriptedModel>;

/** What the model read of its first answer's calls. */
export async function readOf(model: Scripted, options: Omit<ExecuteOptions, "model">) {
  const result = await (execute({ prompt: "go", ...options, model } as ExecuteOptions) as Run);
  return { result, read: results(model.requests[1]?.prompt ?? []) };
}

/** The user's words in the n-th request of a model. */
export function askedOf({ requests }: Scripted, number = 0): string {
  const message = requests[number]!.prompt.find(({ role }) => role === "user");
  return message.content.map(({ text }: { text: string }) => text).join("");
}

export { asks };
