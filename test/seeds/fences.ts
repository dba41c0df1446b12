/** How each file of fixtures/002 comes from a fence of the seed: its import, and the little that is no TypeScript there. */
import { readFileSync } from "node:fs";

export interface FenceFile {
  file: string;
  /** From 0, in the order of the document. */
  fence: number;
  /** The import of the names that the fence uses without importing them. */
  free?: string;
  /** Where more than an import had to change. */
  change?: { why: string; apply(fence: string): string };
}

export const fenceFiles: FenceFile[] = [
  {
    file: "00.ts",
    fence: 0,
    free: "import { searchDocumentation }",
    change: {
      why: 'Option 2 says "same configuration" in a comment: the lines of option 1 stand there.',
      apply: (text) => text.replace("  // ... same configuration", () => between(text, '"searchDocs",\n', "\n});")),
    },
  },
  { file: "01.ts", fence: 1, free: "import { performSearch }" },
  { file: "02.ts", fence: 2 },
  { file: "03.ts", fence: 3, free: "import { knowledgeBase }" },
  { file: "04.ts", fence: 4, free: "import { Autonomous }" },
  {
    file: "05.ts",
    fence: 5,
    free: "import { Autonomous, z }",
    change: exporting("baseSearchTool, productSearchTool"),
  },
  { file: "06.ts", fence: 6, free: "import { Autonomous, z }" },
  { file: "07.ts", fence: 7, free: "import { LlmzTool }" },
  {
    file: "08-one-model.ts",
    fence: 8,
    change: {
      why: "It shows two files, each with a default export: this is the first.",
      apply: (text) => text.slice(0, text.indexOf("\n// With fallback chain")),
    },
  },
  {
    file: "08-fallback-chain.ts",
    fence: 8,
    change: {
      why: "The second of the two files, with the import of the first.",
      apply: (text) =>
        `${text.slice(0, text.indexOf("\n") + 1)}\n${text.slice(text.indexOf("// With fallback chain"))}`,
    },
  },
  { file: "09.ts", fence: 9, free: "import type { Autonomous, ExitResult, Iteration, IterationController, Trace }" },
  { file: "10.ts", fence: 10, free: "import { createTicketTool, execute, searchTool }" },
  { file: "11.ts", fence: 11, free: "import { execute, searchTool }" },
  { file: "12.ts", fence: 12, free: "import { execute }", change: exporting("NoResultsExit, result, SearchExit") },
  { file: "13.ts", fence: 13, free: "import { _SnapshotSignal, _ThinkSignal }" },
  {
    file: "14.ts",
    fence: 14,
    free: "import type { Autonomous, Execute, LlmzIteration }",
    change: {
      why: "Two types are comments: our types stand behind them.",
      apply: (text) =>
        text
          .replace("/* various trace types */", "$& Autonomous.Trace")
          .replace("/* controller interface */", "$& Autonomous.IterationController"),
    },
  },
  { file: "15.ts", fence: 15, free: "import { Autonomous, ThinkSignal, actions, conversation, user, z }" },
];

/** The text that the file must have. */
export function fileText({ fence: number, free, change }: FenceFile): string {
  const fence = seedFences()[number]!;
  const body = (change ? change.apply(fence) : fence).replace('"@botpress/runtime"', '"../../prelude.ts"');
  const imported = free ? `${free} from "../../prelude.ts";\n${body.startsWith("import ") ? "" : "\n"}` : "";
  return `${imported}${body}`;
}

/** The text of each TypeScript fence, as the seed has it. */
export function seedFences(): string[] {
  const text = readFileSync(new URL("fixtures/002/fences.md", import.meta.url), "utf8");
  return [...text.matchAll(/^```typescript\n([\s\S]*?)^```$/gm)].map(([, fence]) => fence!);
}

function exporting(names: string): FenceFile["change"] {
  return {
    why: "Its values are constants of the module: they are exported at the end, for the test.",
    apply: (text) => `${text}\nexport { ${names} };\n`,
  };
}

function between(text: string, start: string, end: string): string {
  const from = text.indexOf(start) + start.length;
  return text.slice(from, text.indexOf(end, from));
}
