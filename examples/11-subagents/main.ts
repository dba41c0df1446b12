/** A run that gives tasks to two sub-agents at once; one of them wants to do something that somebody must agree to. */
import { setTimeout } from "node:timers/promises";
import { execute, Tool } from "haft";
import { scriptedModel } from "haft/testing";
import { z } from "zod";

const readFile = new Tool({
  name: "read_file",
  input: z.object({ path: z.string() }),
  handler: ({ path }) => `${path}: // todo: remove`,
});
const removeLine = new Tool({
  name: "remove_line",
  input: z.object({ path: z.string(), line: z.number() }),
  approval: ({ path, line }) => `line ${line} of ${path} would go`,
  handler: ({ path }) => `${path} is clean`,
});

/** What each model says, where none is named in HAFT_MODEL. */
const lead = scriptedModel([
  {
    toolCalls: [
      { name: "subagent", input: { role: "reviewer", task: "Count the todos.", input: { path: "app.ts" } } },
      { name: "subagent", input: { role: "cleaner", task: "Remove the todo in line 1 of app.ts." } },
    ],
  },
  "app.ts had a todo, and has none now.",
]);
const reviewing = scriptedModel([
  { toolCalls: [{ name: "read_file", input: { path: "app.ts" } }] },
  { toolCalls: [{ name: "submit_result", input: { todos: 1 } }] },
]);
const cleaning = scriptedModel([
  { toolCalls: [{ name: "remove_line", input: { path: "app.ts", line: 1 } }] },
  "It is removed.",
]);
const model = process.env.HAFT_MODEL; // one for all of them, when it is set

const run = execute({
  model: model || lead,
  instructions: "You lead others. Give them tasks, and say what came of it.",
  subagents: {
    reviewer: {
      description: "Counts what is to be done in a file",
      instructions: "Read the file, and count its todos.",
      input: z.object({ path: z.string() }),
      output: z.object({ todos: z.number() }),
      tools: [readFile],
      model: model || reviewing,
    },
    cleaner: { description: "Changes files", tools: [readFile, removeLine], model: model || cleaning },
  },
  approve: async ({ callId, message }) => {
    console.log(`asked about ${place(callId)}: ${message}`);
    await setTimeout(500); // somebody reads it; the other one works on meanwhile
    return true;
  },
  prompt: "Is there anything to be done in app.ts? Then have it done.",
});

for await (const event of run) {
  if (event.type === "tool-end") console.log(`${place(event.key)} ${event.name}: ${JSON.stringify(event.output)}`);
}
const result = await run;
console.log(result.isError() ? result.error.message : result.output);

/** A key without the name of the run. */
function place(key: string): string {
  return key.slice(key.indexOf("/") + 1);
}
