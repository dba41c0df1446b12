/** Reads the source files and what they import. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

export const root = resolve(import.meta.dirname, "../..");
export const src = join(root, "src");

export interface SourceFile {
  /** Relative to src, with slashes. */
  path: string;
  text: string;
  imports: Import[];
}

export interface Import {
  /** A path relative to src, or the name of a package. */
  target: string;
  isLocal: boolean;
  /** Erased by the compiler. */
  isType: boolean;
  /** Loaded when it is used. */
  isDynamic: boolean;
}

export function sourceFiles(): SourceFile[] {
  return readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.(ts|mjs)$/.test(path))
    .sort()
    .map((path) => {
      const text = readFileSync(join(src, path), "utf8");
      return { path, text, imports: importsOf(path, text) };
    });
}

/** The files and packages that a file loads at once, itself included. */
export function staticGraph(
  entry: string,
  files: readonly SourceFile[],
): { files: Set<string>; packages: Set<string> } {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const graph = { files: new Set<string>(), packages: new Set<string>() };
  const visit = (path: string): void => {
    if (graph.files.has(path)) return;
    graph.files.add(path);
    for (const { target, isLocal, isType, isDynamic } of byPath.get(path)?.imports ?? []) {
      if (isType || isDynamic) continue;
      if (isLocal) visit(target);
      else if (!target.startsWith("node:")) graph.packages.add(target);
    }
  };
  visit(entry);
  return graph;
}

function importsOf(path: string, source: string): Import[] {
  const text = source.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  const imports: Import[] = [];
  const clause =
    /^(?:import|export)\s+((?:type\s+)?(?:\{[^}]*\}|\*(?:\s+as\s+\w+)?|\w+(?:\s*,\s*\{[^}]*\})?))\s+from\s+"([^"]+)";/gm;
  for (const match of text.matchAll(clause)) {
    imports.push(make(path, match[2]!, isErased(match[1]!), false));
  }
  for (const match of text.matchAll(/^import\s+"([^"]+)";/gm)) imports.push(make(path, match[1]!, false, false));
  for (const match of text.matchAll(/(typeof\s+)?\bimport\(\s*"([^"]+)"\s*\)(\.[A-Z])?/g)) {
    imports.push(make(path, match[2]!, match[1] !== undefined || match[3] !== undefined, true));
  }
  return imports;
}

/** `type { A }`, or `{ type A, type B }`. */
function isErased(clause: string): boolean {
  if (/^type\b/.test(clause)) return true;
  const names = /^\{([\s\S]*)\}$/.exec(clause)?.[1];
  return names?.split(",").every((name) => name.trim() === "" || name.trim().startsWith("type ")) ?? false;
}

function make(from: string, specifier: string, isType: boolean, isDynamic: boolean): Import {
  const isLocal = specifier.startsWith(".");
  const target = isLocal ? relative(src, resolve(src, dirname(from), specifier)) : specifier;
  return { target, isLocal, isType, isDynamic };
}
