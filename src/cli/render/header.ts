/** The first lines of a run: where it works and why, whether writes are held back, and who works. */
import type { Sandbox } from "../../core/sandbox.ts";
import type { Project } from "../../project/index.ts";
import type { Screen } from "./screen.ts";
import { clean, wrapWith } from "./text.ts";

export function printHeader(screen: Screen, project: Project): void {
  printSandbox(screen, project.sandbox, project.settings.sandboxReason);
  const { dim } = screen.colors;
  const facts = [project.modelLabel, ...modeOf(project), toolsOf(project), ...(project.context?.sources ?? [])];
  screen.print(dim(wrapWith(clean(facts.join(" · ")), screen.width, "Model    ")));
  printNotes(screen, project.notes);
  screen.print();
}

/** Kind and writes come first, so that the first row has them; a summary may begin with the kind, too. */
export function printSandbox(screen: Screen, { kind, summary, capabilities }: Sandbox, reason: string): void {
  const writes = capabilities.overlay ? "writes are held back" : "writes go straight to the files";
  const why = summary.startsWith(kind) ? summary.slice(kind.length).replace(/^[:\s]+/, "") : summary;
  const text = clean(`${kind} (${reason}), ${writes}: ${why}`);
  screen.print(wrapWith(text, screen.width, "Sandbox  ").replace(/^Sandbox/, screen.colors.bold("Sandbox")));
}

export function printNotes(screen: Screen, notes: readonly string[]): void {
  for (const note of notes) screen.print(screen.colors.yellow(wrapWith(clean(note), screen.width, "Note     ")));
}

/** Said where it is not the one that everybody expects. */
function modeOf({ settings: { mode = "tools" } }: Project): string[] {
  const name = typeof mode === "string" ? mode : mode.name;
  return name === "tools" ? [] : [`mode ${name}`];
}

function toolsOf({ toolNames }: Project): string {
  return toolNames.length === 0 ? "no tools" : toolNames.join(", ");
}
