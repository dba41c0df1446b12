/** Runs Haft's `execute` with a scripted model, and reads what the model was told. */
import { type ExecuteOptions, execute, type RunEvent } from "../../src/index.ts";
import { type Script, type ScriptedRequest, type ScriptedStep, scriptedModel } from "../../src/testing/index.ts";

export async function play(options: ExecuteOptions, ...script: Script) {
  const model = scriptedModel(script);
  const run = execute({ model, prompt: "Go on.", ...options });
  const events: RunEvent[] = [];
  for await (const event of run) events.push(event);
  return { result: await run, events, model };
}

/** A step of the script in which the model calls one tool or exit. */
export function call(name: string, input?: unknown): ScriptedStep {
  return { toolCalls: [{ name, input }] };
}

/** The results of tools that a request brings, as the model reads them. */
export function toldResults(request: ScriptedRequest | undefined): string[] {
  const parts = request?.prompt.flatMap(({ role, content }) => (role === "tool" ? content : [])) ?? [];
  return parts.map(({ output }) => output.value);
}

/** The input schema of a tool, as a request shows it. */
export function shownSchema(request: ScriptedRequest | undefined, name: string): any {
  return request?.tools?.find((tool) => tool.name === name)?.inputSchema;
}
