/** Puts a run's instructions together: the agent's own, where it works, and what the project says. */
import type { ExecuteOptions } from "../core/execute.ts";
import type { SandboxAccess } from "../core/sandbox.ts";
import type { ContextFiles } from "./context-files.ts";

const DEFAULT = `You work on a user's project through tools.

- Look before you act: find and read what matters, then make the smallest change that does the job.
- Check your work by running what the project itself offers: its tests, its type checker, the program.
- When something fails, read the message, find the cause, and go on. Do not hide a failure.
- Do only what was asked. Say what you found and did in a few plain sentences, with the paths of changed files.`;

type Instructions = ExecuteOptions["instructions"];

/** What does not change comes first, so that providers can cache it. */
export function composeInstructions(
  own: Instructions,
  sandbox: SandboxAccess,
  context: ContextFiles | undefined,
): Instructions {
  const rest = [aboutSandbox(sandbox), ...(context ? aboutProject(context) : [])];
  const join = (first: string) => [first.trim(), ...rest].filter(Boolean).join("\n\n");
  if (typeof own === "function") return async (ctx) => join(await own(ctx));
  return join(own ?? DEFAULT);
}

function aboutSandbox({ cwd, capabilities }: SandboxAccess): string {
  const lines = [`The working folder is ${cwd}.`, ...capabilities.notes];
  return `## Where You Work\n\n${lines.map((line) => `- ${line}`).join("\n")}`;
}

function aboutProject({ instructions, skills }: ContextFiles): string[] {
  const parts: string[] = [];
  if (instructions) parts.push(`## Project Instructions\n\n${instructions}`);
  if (skills.length > 0) {
    const list = skills.map(({ name, path, description }) => {
      return `- \`${name}\` (read \`${path}\` before using it)${description ? ` - ${description}` : ""}`;
    });
    parts.push(`## Available Skills\n\n${list.join("\n")}`);
  }
  return parts;
}
