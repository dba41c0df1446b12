/** The programs of a page of the corpus: one a heading, with the programs before it and the lines that are marked. */
import { readFileSync } from "node:fs";

export interface CorpusProgram {
  name: string;
  code: string;
  earlier: string[];
  /** Lines with `// <-`, from 1. */
  marked: number[];
}

export function readCorpus(page: string): CorpusProgram[] {
  const text = readFileSync(new URL(`./${page}.md`, import.meta.url), "utf8");
  return text
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const fences = [...section.matchAll(/^(`{3,})ts( earlier)?\n([\s\S]*?)^\1$/gm)];
      const programs = (isEarlier: boolean) =>
        fences.filter(([, , earlier]) => (earlier !== undefined) === isEarlier).map(([, , , code]) => code!);
      const [code = ""] = programs(false);
      const marked = code.split("\n").flatMap((line, index) => (line.includes("// <-") ? [index + 1] : []));
      return { name: section.split("\n", 1)[0]!, code, earlier: programs(true), marked };
    });
}

export const declarations = readFileSync(new URL("./declarations.txt", import.meta.url), "utf8");
