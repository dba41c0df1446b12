/** From TypeScript, as a model wrote it, to JavaScript that a VM can run: one parse, and no line or column is lost. */
import type { ProgramProblem } from "../../core/program.ts";
import { tooAmbiguousAt } from "./ambiguity.ts";
import { Calls } from "./calls.ts";
import { captureOf } from "./capture.ts";
import { Edits } from "./edits.ts";
import { endStatements, isEnded } from "./end-statements.ts";
import { type Compilation, erase } from "./erase.ts";
import { isErased } from "./modules.ts";
import { parseProgram } from "./parse.ts";
import { Problems } from "./problems.ts";
import { freeName, giveResult } from "./result.ts";
import { topLevelNames } from "./scopes.ts";
import { MAX_SOURCE_BYTES, readSource, SourceText } from "./source-text.ts";
import { type Node, type Program, walk } from "./syntax.ts";

export { excerptOf } from "./excerpt.ts";

export interface CompiledProgram {
  /** JavaScript: a function expression `(async (__scope) => { "use strict"; … })` on the source's own lines. */
  readonly code: string;
  /** The source as it was read: fences and byte order mark gone, lines ended by `\n`. */
  readonly source: string;
  /** Top-level names that it makes. */
  readonly names: readonly string[];
  /** A position of the JavaScript as one of the source, both from 1, columns in UTF-16 units. */
  place(line: number, column: number): { line: number; column: number };
  /**
   * Is the call at this place of the source written so that nobody waits for it (`void call()`)? Any place in a call will
   * do, for engines differ in where they see one; `path` (`Orders.cancel`) tells it from the calls around it.
   */
  isDetached(line: number, column: number, path?: string): boolean;
}

export type Compiled = { ok: true; program: CompiledProgram } | { ok: false; problems: readonly ProgramProblem[] };

export function compileProgram(source: string, options: { functions: readonly string[] }): Compiled {
  if (Buffer.byteLength(source) > MAX_SOURCE_BYTES) return refusal("The program is longer than 1 MiB");
  const text = new SourceText(readSource(source));
  const problems = new Problems(text);
  const ambiguity = tooAmbiguousAt(text.text);
  if (ambiguity !== undefined) {
    problems.add(ambiguity, TOO_DEEP);
    return { ok: false, problems: problems.list() };
  }
  try {
    const program = parseProgram(text, problems);
    const compiled = program && transform(program, text, problems, new Calls(options.functions));
    return compiled && problems.isEmpty ? { ok: true, program: compiled } : { ok: false, problems: problems.list() };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return refusal(TOO_DEEP);
  }
}

const TOO_DEEP = "The program is nested too deeply: write it flatter";

function transform(program: Program, source: SourceText, problems: Problems, calls: Calls): CompiledProgram {
  const edits = new Edits(source.text);
  const compilation: Compilation = { source, edits, problems, enums: new Map() };
  const statements: Node[] = [];
  walk(program, (place) => {
    calls.see(place);
    if (isEnded(place)) statements.push(place.node);
    return erase(place, compilation);
  });
  const [, second] = program.body.filter((node) => node.type === "ExportDefaultDeclaration" && !isErased(node));
  if (second) problems.add(second, "A program gives one value: write export default once, or return");
  const result = giveResult(program, source.text, edits);
  calls.check(result.returned, problems);
  endStatements(statements, edits);
  const names = topLevelNames(program);
  const scope = freeName("__scope", source.text);
  const head = `(async (${scope}) => { "use strict"; ${scope}(${captureOf(names)}); `;
  const { code, place } = edits.finish(head, `${result.tail}\n})`);
  return { code, source: source.text, names: [...names.keys()], place, isDetached: calls.detachedAt(source) };
}

function refusal(message: string): Compiled {
  return { ok: false, problems: [{ line: 1, column: 1, message }] };
}
