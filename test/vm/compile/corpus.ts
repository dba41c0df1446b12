/** Real TypeScript, and what TypeScript itself makes of it, to compare our erasing with. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type ParserOptions, parse } from "@babel/parser";
import ts from "typescript";

const MAX_BYTES = 60_000;

/** TypeScript files of a folder, in a fixed order. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => /(?<!\.d)\.ts$/.test(path))
    .sort()
    .map((path) => join(folder, path))
    .filter((path) => statSync(path).size <= MAX_BYTES);
}

/** A file as a block: nothing imported or exported. Enums and namespaces, of which TypeScript makes something else, are gone. */
export function blockOf(path: string): string {
  const text = readFileSync(path, "utf8").replace(/\r\n/g, "\n").replace(/^#!/, "//");
  const characters = text.split("");
  const put = (start: number, end: number, word = "") => {
    for (let offset = start; offset < end; offset++) {
      if (characters[offset] !== "\n") characters[offset] = word[offset - start] ?? " ";
    }
  };
  for (const { type, start, end, declaration, meta } of nodesOf(parse(text, { ...options, plugins: ["typescript"] }))) {
    if (gone.has(type)) put(start, end);
    if (type === "ExportNamedDeclaration") put(start, declaration?.start ?? end);
    if (type === "Import") put(start, end, "Import");
    if (type === "MetaProperty" && meta.name === "import") put(start, end, "import_meta");
  }
  return `{\n${characters.join("")}\n}\n`;
}

/** Many blocks at once, for TypeScript takes its time for each start. */
export function transpiled(blocks: readonly string[]): string {
  const target = ts.ScriptTarget.ESNext;
  const { outputText } = ts.transpileModule(`${blocks.join("")};export {};`, {
    compilerOptions: { target, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true },
  });
  return outputText;
}

/** The blocks of a JavaScript module. */
export function blocksIn(javascript: string): Tree[] {
  const body = parse(javascript, options).program.body as unknown as Tree[];
  return body.filter(({ type }) => type === "BlockStatement");
}

/** The block in what the compiler made of one. */
export function blockIn(code: string): Tree {
  const [statement] = parse(code, options).program.body as any[];
  return statement.expression.body.body.find(({ type }: Tree) => type === "BlockStatement");
}

export interface Tree {
  type: string;
  [key: string]: unknown;
}

/** Whether two trees say the same, wherever it stands. */
export function isSame(one: any, other: any): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    const [left, right] = [one, other].map((nodes) => nodes.filter((node) => node?.type !== "EmptyStatement"));
    return left!.length === right!.length && left!.every((node, index) => isSame(node, right![index]));
  }
  if (typeof one !== "object" || typeof other !== "object" || !one || !other) return one === other;
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].every((key) => places.has(key) || isSame(one[key], other[key]));
}

const options: ParserOptions = {
  sourceType: "module",
  allowReturnOutsideFunction: true,
  allowUndeclaredExports: true,
  attachComment: false,
};

const gone = new Set([
  "ImportDeclaration",
  "ExportAllDeclaration",
  "ExportDefaultDeclaration",
  "TSEnumDeclaration",
  "TSModuleDeclaration",
]);

const places = new Set(["start", "end", "loc", "extra", "leadingComments", "trailingComments", "innerComments"]);

function nodesOf(root: unknown): any[] {
  const found: any[] = [];
  const visit = (value: any): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (typeof value?.type === "string") {
      found.push(value);
      Object.values(value).forEach(visit);
    }
  };
  visit(root);
  return found;
}
