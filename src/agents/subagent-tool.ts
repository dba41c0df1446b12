/** Mode "tools": one tool for all roles, with a flat schema, which every provider takes. */
import type { JsonSchema } from "../core/json-schema.ts";
import type { Tool } from "../core/tool.ts";
import { ofSubagents, runSubagent, SubagentTool } from "./run-subagent.ts";
import type { Role } from "./subagent-role.ts";
import { taskSchema } from "./task-schema.ts";
import type { Turns } from "./turns.ts";

interface Given {
  role: string;
  task: string;
  input?: unknown;
}

export function subagentTool(roles: readonly Role[], turns: Turns): Tool {
  const names = roles.map(({ name }) => name);
  const keys = ["role", "task", "input"];
  const hasInputs = roles.some(({ input }) => input);
  return new SubagentTool({
    ...ofSubagents,
    name: "subagent",
    description: describe(roles),
    sandbox: roles.some(({ sharesSandbox }) => sharesSandbox),
    input: taskSchema<Given>(inputSchema(names, hasInputs), { keys, isTask: false, roles: names }),
    handler: (given, ctx) => runSubagent(roles.find(({ name }) => name === given.role)!, turns, given, ctx),
  });
}

function inputSchema(names: readonly string[], hasInputs: boolean): JsonSchema {
  return {
    type: "object",
    properties: {
      role: { type: "string", enum: names, description: "Who works on it" },
      task: { type: "string", description: "What is to be done, with all that one must know for it" },
      ...(hasInputs && { input: { type: "object", description: "What goes with the task, for roles that take it" } }),
    },
    required: ["role", "task"],
    additionalProperties: false,
  };
}

function describe(roles: readonly Role[]): string {
  const lines = roles.map(({ name, description, input }) => {
    const takes = input ? ` Input: ${JSON.stringify(input.json)}` : "";
    return `- ${name}${description ? `: ${description}` : ""}${takes}`;
  });
  return `Gives a task to a sub-agent, which works on it alone and reports back. It knows nothing of this conversation.\n${lines.join("\n")}`;
}
