/** The documentation is true: its programs are type-checked and run, its commands, links and tables are looked up. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { docsPages, modulesOf } from "./helpers/docs-pages.ts";
import { isOutput, type RunResult, runModules } from "./helpers/docs-run.ts";
import { commandProblems, type Help, readHelp } from "./helpers/docs-shell.ts";
import { DocsProgram } from "./helpers/docs-types.ts";
import { root } from "./helpers/source-files.ts";

const pages = docsPages();
/** What is for readers; AGENTS.md draws pictures in its fences. */
const fences = pages.filter(({ path }) => path !== "AGENTS.md").flatMap((page) => page.fences);
const modules = pages.flatMap(modulesOf);
const runs = modules.filter(({ output }) => output !== undefined);
const commands = ["run", "chat", "demo", "sessions", "log", "resume", "approve", "deny", "fork"];

/** Processes of their own, which work while the types are checked here. */
const running = runModules(runs);
const helping = readHelp(commands);
for (const work of [running, helping]) work.catch(() => {}); // whoever awaits it sees it

describe("fences", () => {
  test("each says what it is", () => {
    const languages = ["ts", "text", "sh", "json", "jsonl", "md"];
    const unknown = fences.filter(({ language }) => !languages.includes(language));
    expect(unknown.map(({ page, line, language }) => `${page}:${line}: "${language}"`)).toEqual([]);
  });

  test("json is JSON", () => {
    const wrong = fences.filter(({ language, text }) => {
      if (language === "json") return !isJson(text);
      return language === "jsonl" && !text.trim().split("\n").every(isJson);
    });
    expect(wrong.map(({ page, line }) => `${page}:${line}`)).toEqual([]);
  });
});

function isJson(text: string): boolean {
  try {
    return JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}

describe("types", () => {
  const entries = [
    "src/index.ts",
    ...["tools", "sandbox", "models", "stores", "testing", "vm"].map((name) => `src/${name}/index.ts`),
  ];
  const more = [
    "src/core/tool-definition.ts",
    "src/sandbox/virtual/index.ts",
    "src/sandbox/egress/index.ts",
    "src/sandbox/local/index.ts",
    "src/sandbox/isolated/index.ts",
    "src/sandbox/isolated/limits.ts",
    "src/project/config.ts",
    "src/core/program.ts",
  ];
  let program: DocsProgram;
  beforeAll(() => {
    program = new DocsProgram(modules, [...entries, ...more]);
  }, 60_000);

  test("every program type-checks", () => {
    expect(program.problems()).toEqual([]);
  });

  /** Interface, where it is, and the page whose tables have a row for each of its properties. */
  const tables: [type: string, source: string, page: string][] = [
    ["ToolDefinition", "src/core/tool-definition.ts", "docs/guides/tools.md"],
    ["ToolContext", "src/index.ts", "docs/guides/tools.md"],
    ["ExecuteOptions", "src/index.ts", "docs/guides/runs.md"],
    ["SessionOptions", "src/index.ts", "docs/guides/sessions.md"],
    ["Hooks", "src/index.ts", "docs/guides/runs.md"],
    ["ErrorResult", "src/index.ts", "docs/guides/runs.md"],
    ["InterruptedResult", "src/index.ts", "docs/guides/runs.md"],
    ["ExitDefinition", "src/index.ts", "docs/guides/runs.md"],
    ["PolicyRule", "src/index.ts", "docs/guides/approvals.md"],
    ["PendingCall", "src/index.ts", "docs/guides/resume.md"],
    ["BudgetLimits", "src/index.ts", "docs/guides/budgets.md"],
    ["ModelLimits", "src/index.ts", "docs/guides/models.md"],
    ["ResolveModelOptions", "src/models/index.ts", "docs/guides/models.md"],
    ["ScriptedStep", "src/testing/index.ts", "docs/guides/models.md"],
    ["IsolatedOptions", "src/sandbox/isolated/index.ts", "docs/guides/sandboxes.md"],
    ["IsolatedLimits", "src/sandbox/isolated/limits.ts", "docs/guides/sandboxes.md"],
    ["EgressOptions", "src/sandbox/egress/index.ts", "docs/guides/egress.md"],
    ["EgressRule", "src/sandbox/index.ts", "docs/guides/egress.md"],
    ["EgressHeader", "src/sandbox/index.ts", "docs/guides/egress.md"],
    ["LocalOptions", "src/sandbox/local/index.ts", "docs/guides/sandboxes.md"],
    ["VirtualOptions", "src/sandbox/virtual/index.ts", "docs/guides/sandboxes.md"],
    ["SandboxAccess", "src/index.ts", "docs/guides/sandboxes.md"],
    ["ExecOptions", "src/index.ts", "docs/guides/sandboxes.md"],
    ["ExecResult", "src/index.ts", "docs/guides/sandboxes.md"],
    ["SandboxCapabilities", "src/index.ts", "docs/guides/sandboxes.md"],
    ["CommandOptions", "src/tools/index.ts", "docs/guides/built-in-tools.md"],
    ["CodeModeOptions", "src/vm/index.ts", "docs/guides/programs.md"],
    ["ProgramLimits", "src/core/program.ts", "docs/guides/programs.md"],
    ["ProjectConfig", "src/project/config.ts", "docs/guides/command-line.md"],
  ];

  test.for(tables)("each property of %s has a row", ([type, source, path]) => {
    const text = pages.find((page) => page.path === path)!.text;
    const rows = new Set([...text.matchAll(/^\| `([A-Za-z]+)/gm)].map((match) => match[1]!));
    const names = program.propertiesOf(source, type).filter((name) => !name.startsWith("__"));
    expect(names.filter((name) => !rows.has(name))).toEqual([]);
  });

  function entryName(source: string): string {
    if (source === "src/index.ts") return "haft";
    const folder = source.split("/")[1]!;
    return `haft/${folder === "vm" ? "code" : folder}`;
  }

  test("the reference lists every export, and nothing else", () => {
    const text = pages.find(({ path }) => path === "docs/reference/README.md")!.text;
    for (const entry of entries) {
      const name = entryName(entry);
      const section = text.split(`\n## \`${name}\`\n`)[1]?.split("\n## ")[0] ?? "";
      const listed = [...section.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell]) => cell!.match(/\w+/g)!);
      expect({ name, listed: listed.sort() }).toEqual({ name, listed: program.exportsOf(entry).sort() });
    }
  });
});

describe("programs", () => {
  let results: RunResult[];
  beforeAll(async () => {
    results = await running;
  }, 60_000);

  test.for(runs.map((module, index) => [module.name, index] as const))("%s prints what it says", ([, index]) => {
    const { output, error } = results[index]!;
    expect(error).toBeUndefined();
    const expected = runs[index]!.output!;
    if (!isOutput(output, expected)) expect(output).toBe(expected);
  });
});

describe("command lines", () => {
  let help: Help;
  beforeAll(async () => {
    help = await helping;
  }, 60_000);

  test("every command and flag is there", () => {
    expect([...help.keys()]).toEqual(["", ...commands]);
    const problems = fences
      .filter(({ language }) => language === "sh")
      .flatMap(({ page, line, text }) => commandProblems(text, help).map((problem) => `${page}:${line}: ${problem}`));
    expect(problems).toEqual([]);
  });

  test("every flag has its row", () => {
    const text = pages.find(({ path }) => path === "docs/guides/command-line.md")!.text;
    const flags = new Set(
      [...help.values()].flatMap((known) => known.match(/(?<=^\s+(?:-\w, )?)--[a-z][a-z-]*/gm) ?? []),
    );
    expect(flags.size).toBeGreaterThan(15);
    expect([...flags].filter((flag) => !new RegExp(`^\\| \`[^|]*${flag}\\b`, "m").test(text))).toEqual([]);
  });
});

describe("pages", () => {
  test("links lead somewhere", () => {
    const broken = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)]
        .filter(([, target, anchor]) => !leads(target ? join(dirname(path), target) : path, anchor))
        .map(([link]) => `${path}: ${link}`),
    );
    expect(broken).toEqual([]);
  });

  function leads(path: string, anchor: string | undefined): boolean {
    if (anchor === undefined) return existsSync(join(root, path));
    const headings = pages.find((page) => page.path === path)?.text.match(/(?<=^#+ ).*/gm) ?? [];
    return headings.some(
      (heading) =>
        heading
          .toLowerCase()
          .replace(/[^\w\s-]/g, "")
          .replaceAll(" ", "-") === anchor,
    );
  }

  test("every page of docs can be reached from its table of contents", () => {
    const seen = new Set<string>();
    const visit = (path: string): void => {
      if (seen.has(path)) return;
      seen.add(path);
      const text = pages.find((page) => page.path === path)?.text ?? "";
      for (const [, target] of text.matchAll(/\]\((?!https?:|#)([^)#\s]+\.md)/g)) visit(join(dirname(path), target!));
    };
    visit("docs/README.md");
    expect(pages.map(({ path }) => path).filter((path) => path.startsWith("docs/") && !seen.has(path))).toEqual([]);
  });

  test("the index of error codes lists every page", () => {
    const errors = pages.filter(({ path }) => path.startsWith("docs/errors/") && !path.endsWith("README.md"));
    const index = pages.find(({ path }) => path === "docs/errors/README.md")!.text;
    const rows = [...index.matchAll(/^\| \[`([A-Z0-9_]+)`\]\(([^)]+)\) \| (.+) \|$/gm)];
    expect(rows.map(([, code, target]) => `${code} ${target}`)).toEqual(
      errors.map(({ path }) => path.slice("docs/errors/".length)).map((file) => `${file.replace(".md", "")} ${file}`),
    );
    const wrong = errors.filter(({ path, text }, position) => {
      const code = path.slice("docs/errors/".length, -".md".length);
      const [title, , happened] = text.split("\n");
      const hasShape = ["\n## Why\n", "\n## What to do\n", "\n## Where it comes from\n"].every((part) =>
        text.includes(part),
      );
      return title !== `# ${code}` || happened !== rows[position]?.[3] || !hasShape;
    });
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });
});
