/** A program in the form in which TypeScript looks at it: a module whose lines are the model's. */
import { createHash } from "node:crypto";
import { exportsOf, importsOf, type Kept, topLevelBindings } from "./bindings.ts";
import type { NamedText } from "./compiler.ts";
import { applyEdits, type Edit, type EditedText } from "./edits.ts";
import { assignedInside } from "./idioms/assigned-inside.ts";
import { emptyValues } from "./idioms/empty-values.ts";
import { filters } from "./idioms/filters.ts";
import { growingObjects } from "./idioms/growing-objects.ts";
import { knownReads } from "./idioms/known-reads.ts";
import { mixedRows } from "./idioms/mixed-rows.ts";
import { Recent } from "./recent.ts";
import { finishedReturns, topLevelReturns } from "./returns.ts";
import { type TS, ts } from "./typescript.ts";

/** The one that is checked. */
export function checkedText(code: string, kept: readonly Kept[]): EditedText {
  const source = parse(code);
  const edits = [...topLevelReturns(source), ...idioms(source, false)];
  return applyEdits(source.text, edits, `\n${importsOf(source, kept)}\n`);
}

interface EarlierModule extends NamedText {
  bindings: readonly Kept[];
}

const recent = new Recent<EarlierModule>(200);

/** The earlier programs, oldest first, as modules, and which of their bindings a program after them sees. */
export function earlierModules(
  programs: readonly string[],
  declarations: string,
): { modules: NamedText[]; kept: Kept[] } {
  const modules: NamedText[] = [];
  const kept = new Map<string, Kept>();
  let before = declarations;
  for (const code of programs) {
    // What a program means depends on all that came before it.
    before = hash(before + code);
    const module = recent.get(before, () => earlierModule(code, `earlier-${before}`, [...kept.values()]));
    modules.push(module);
    for (const binding of module.bindings) kept.set(binding.name, binding);
  }
  return { modules, kept: [...kept.values()] };
}

function earlierModule(code: string, name: string, kept: readonly Kept[]): EarlierModule {
  const source = parse(code);
  const bindings = topLevelBindings(source);
  const edits = [...finishedReturns(source), ...idioms(source, true)];
  const { text } = applyEdits(source.text, edits, `\n${importsOf(source, kept)}\n${exportsOf(bindings)}\n`);
  return { name: `/${name}.ts`, text, bindings: bindings.map((binding) => ({ ...binding, module: `./${name}` })) };
}

export function hash(text: string): string {
  return createHash("sha1").update(text).digest("hex");
}

function idioms(source: TS.SourceFile, isOver: boolean): Edit[] {
  const edits = [emptyValues, assignedInside, filters, knownReads, mixedRows].flatMap((editsOf) => editsOf(source));
  return [...growingObjects(source, isOver), ...edits];
}

function parse(code: string): TS.SourceFile {
  return ts.createSourceFile("program.ts", withoutFence(code), ts.ScriptTarget.ESNext, true, ts.ScriptKind.TS);
}

/** Blank where it was, so that every place stays what it is. */
function withoutFence(code: string): string {
  const fenced = /^(\uFEFF?\s*```[a-zA-Z]*[ \t]*)(\r?\n[\s\S]*?)(```\s*)$/.exec(code);
  if (!fenced) return code.replace(/^\uFEFF/, " ");
  const [, open, inside, close] = fenced;
  return blank(open!) + inside + blank(close!);
}

function blank(text: string): string {
  return text.replace(/[^\r\n]/g, " ");
}
