/** Reads the pages of the documentation and the fences in them. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./source-files.ts";

export interface Page {
  /** Relative to the root, with slashes. */
  path: string;
  text: string;
  fences: Fence[];
}

export interface Fence {
  page: string;
  /** Of the first line inside, from 1. */
  line: number;
  language: string;
  /** The words after the language: `run`, `continue`. */
  flags: string[];
  text: string;
}

/** README.md, AGENTS.md, THREAT_MODEL.md, CHANGELOG.md and everything in docs, those of them that are there. */
export function docsPages(): Page[] {
  const docs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md"))
    .map((path) => `docs/${path}`);
  return ["README.md", "AGENTS.md", "THREAT_MODEL.md", "CHANGELOG.md", ...docs]
    .filter((path) => existsSync(join(root, path)))
    .sort()
    .map((path) => {
      const text = readFileSync(join(root, path), "utf8");
      return { path, text, fences: fencesOf(path, text) };
    });
}

function fencesOf(page: string, text: string): Fence[] {
  const fences: Fence[] = [];
  let open: Fence | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    const mark = /^```(.*)$/.exec(line);
    if (open && mark) open = undefined;
    else if (open) open.text += `${line}\n`;
    else if (mark) {
      const [language = "", ...flags] = mark[1]!.trim().split(/\s+/);
      open = { page, line: index + 2, language, flags, text: "" };
      fences.push(open);
    }
  }
  return fences;
}

/** One module of TypeScript: a fence, and those that continue it. */
export interface DocsModule {
  /** The page and the line of its first fence: `docs/guides/tools.md:12`. */
  name: string;
  fences: Fence[];
  text: string;
  /** What it must print; undefined when it is not run. */
  output?: string;
}

/** The `ts` fences of a page. A run fence is followed by a `text` fence: its output. */
export function modulesOf({ fences }: Page): DocsModule[] {
  const modules: DocsModule[] = [];
  for (const [index, fence] of fences.entries()) {
    if (fence.language !== "ts") continue;
    let module = modules.at(-1);
    if (!fence.flags.includes("continue") || !module) {
      module = { name: `${fence.page}:${fence.line}`, fences: [], text: "" };
      modules.push(module);
    }
    module.fences.push(fence);
    module.text += fence.text;
    if (!fence.flags.includes("run")) continue;
    const next = fences[index + 1];
    module.output = next?.language === "text" ? next.text : "";
  }
  return modules;
}

/** The place in the documentation of a line of a module, from 1. */
export function placeOf({ fences }: DocsModule, line: number): string {
  let rest = line;
  for (const fence of fences) {
    const length = fence.text.split("\n").length - 1;
    if (rest <= length) return `${fence.page}:${fence.line + rest - 1}`;
    rest -= length;
  }
  return fences[0]!.page;
}
