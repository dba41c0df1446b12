/** Stand-in until the compiler is there: JavaScript only, its top-level names found by their look. */

export interface CompiledProgram {
  code: string;
  source: string;
  names: readonly string[];
  place(line: number, column: number): { line: number; column: number } | undefined;
  isDetached(line: number, column: number): boolean;
}

export type Compiled =
  | { ok: true; program: CompiledProgram }
  | { ok: false; problems: { line: number; column: number; message: string }[] };

export function compileProgram(source: string, _options: { functions: readonly string[] }): Compiled {
  const names = [...source.matchAll(/^(?:const|let|(?:async )?function|class) (\w+)/gm)].map((match) => match[1]!);
  const constants = [...source.matchAll(/^const (\w+)/gm)].map((match) => match[1]!);
  const accessors = names.map(
    (name) => `${JSON.stringify(name)}:[()=>${name},${constants.includes(name) ? "null" : `(v)=>{${name}=v}`}]`,
  );
  const code = `(async (__scope) => {__scope({${accessors.join(",")}});\n${source}\n})`;
  const place = (line: number, column: number) => ({ line: line - 1, column });
  const isDetached = (line: number, column: number) => source.split("\n")[line - 2]!.slice(0, column).includes("void ");
  return { ok: true, program: { code, source, names, place, isDetached } };
}

export function excerptOf(source: string, line: number, column: number): string {
  return `> ${line} | ${source.split("\n")[line - 1]}\n  ${" ".repeat(column + 4)}^`;
}
