/** Turns the tools of flags and settings, names among them, into tools. */
import { HaftError } from "../base/errors.ts";
import { nearest } from "../core/names.ts";
import type { ToolEntry } from "../core/tool.ts";

const builtIn = ["Read", "Bash", "Edit", "Write", "Glob", "Grep"] as const;

const sets: Record<string, readonly (typeof builtIn)[number][]> = {
  coding: builtIn,
  // Without Bash: what it may do is the command's choice.
  "read-only": ["Read", "Glob", "Grep"],
  none: [],
};

/**
 * `chosen` is a list of entries, or text such as `"read,bash"` or `"read-only"`. Upper and lower case are the same.
 * Default: coding.
 *
 * @throws HaftError TOOLS_UNKNOWN
 */
export async function chooseTools(chosen: string | readonly (ToolEntry | string)[] = "coding"): Promise<ToolEntry[]> {
  const entries = typeof chosen === "string" ? [chosen] : chosen;
  const tools: ToolEntry[] = [];
  const named = new Set<string>();
  for (const entry of entries) {
    if (typeof entry !== "string") {
      tools.push(entry);
      continue;
    }
    for (const name of namesIn(entry)) {
      if (named.has(name)) continue;
      named.add(name);
      tools.push(await builtInTool(name));
    }
  }
  return tools;
}

function namesIn(list: string): (typeof builtIn)[number][] {
  const words = list.split(",").map((word) => word.trim());
  return words.filter(Boolean).flatMap((word) => {
    const set = sets[word.toLowerCase()];
    if (set) return set;
    const name = builtIn.find((tool) => tool.toLowerCase() === word.toLowerCase());
    if (!name) throw unknown(word);
    return [name];
  });
}

function unknown(word: string): HaftError {
  const tools = builtIn.map((name) => name.toLowerCase());
  const known = [...tools, ...Object.keys(sets)];
  const near = nearest(word, known);
  return new HaftError("TOOLS_UNKNOWN", `There is no tool or set of tools "${word}".`, {
    hint: `${near ? `Did you mean "${near}"? ` : ""}Tools are ${tools.join(", ")}; sets are ${Object.keys(sets).join(", ")}.`,
    data: { known },
  });
}

async function builtInTool(name: (typeof builtIn)[number]): Promise<ToolEntry> {
  const tools = await import("../tools/index.ts");
  return tools[name];
}
