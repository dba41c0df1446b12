/** Mode "code": one function for each role, typed by its schemas: `subagents.reviewer({ task, input })`. */
import type { JsonSchema } from "../core/json-schema.ts";
import type { Tool } from "../core/tool.ts";
import { ofSubagents, runSubagent, SubagentTool, type Task } from "./run-subagent.ts";
import type { Role } from "./subagent-role.ts";
import { taskSchema } from "./task-schema.ts";
import type { Turns } from "./turns.ts";

export function roleTool(role: Role, turns: Turns): Tool {
  const { name, description, output, givesText, sharesSandbox } = role;
  const gives = output ?? (givesText ? { type: "string" } : undefined);
  return new SubagentTool({
    ...ofSubagents,
    name,
    description,
    sandbox: sharesSandbox,
    input: taskSchema<string | Task>(inputOf(role), { keys: ["task", "input"], isTask: !role.needsInput }),
    ...(gives !== undefined && { output: gives }),
    handler: (given, ctx) => runSubagent(role, turns, typeof given === "string" ? { task: given } : given, ctx),
  });
}

/** The task alone, where nothing must go with it. */
function inputOf({ input, needsInput }: Role): JsonSchema {
  const task = { type: "string", description: "What is to be done, with all that one must know for it" };
  const { inner, outer } = input ? withoutDefinitions(input.json) : { inner: undefined, outer: {} };
  const whole: JsonSchema = {
    type: "object",
    properties: { task, ...(inner && { input: inner }) },
    required: needsInput ? ["task", "input"] : ["task"],
    additionalProperties: false,
  };
  return needsInput ? { ...whole, ...outer } : { anyOf: [task, whole], ...outer };
}

/** References are read from the root of a schema. One to that root itself is none any more: anything may stand there. */
function withoutDefinitions(json: JsonSchema): { inner: JsonSchema; outer: JsonSchema } {
  if (JSON.stringify(json).includes('"$ref":"#"')) return { inner: {}, outer: {} };
  const { $defs, definitions, ...inner } = json as JsonSchema & Record<string, unknown>;
  return { inner, outer: { ...($defs ? { $defs } : {}), ...(definitions ? { definitions } : {}) } as JsonSchema };
}
