/** Compiles a program and runs it, in a context of its own, with functions that remember their calls. */
import { createContext, runInContext } from "node:vm";
import { type CompiledProgram, compileProgram } from "../../../src/vm/compile/index.ts";

export type Accessors = Record<string, [get: () => unknown, set: ((value: unknown) => void) | null]>;

export interface Ran {
  value?: unknown;
  thrown?: { name: string; message: string; stack: string };
  scope: Accessors;
  program: CompiledProgram;
  calls: { name: string; input: unknown }[];
}

export const functions = ["search", "Orders.cancel"];

export function compiled(source: string): CompiledProgram {
  const result = compileProgram(source, { functions });
  if (!result.ok)
    throw new Error(result.problems.map(({ line, column, message }) => `${line}:${column} ${message}`).join("\n"));
  return result.program;
}

/** Lines `line:column message`. */
export function problemsOf(source: string): string[] {
  const result = compileProgram(source, { functions });
  return result.ok ? [] : result.problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

export async function run(source: string, globals: Record<string, unknown> = {}): Promise<Ran> {
  const program = compiled(source);
  const calls: Ran["calls"] = [];
  const called = (name: string) => async (input: unknown) => {
    calls.push({ name, input });
    return { name, input };
  };
  const context = createContext({ search: called("search"), Orders: { cancel: called("Orders.cancel") }, ...globals });
  const body = runInContext(program.code, context, { filename: "program.js" });
  let scope: Accessors = {};
  try {
    const value = await body((accessors: Accessors) => {
      scope = accessors;
    });
    return { value, scope, program, calls };
  } catch (error) {
    return { thrown: error as Ran["thrown"], scope, program, calls };
  }
}

/** Where the program threw, in its source. */
export function thrownAt({ thrown, program }: Ran): { line: number; column: number } {
  const [, line, column] = /program\.js:(\d+):(\d+)/.exec(thrown?.stack ?? "") ?? [];
  return program.place(Number(line), Number(column));
}
