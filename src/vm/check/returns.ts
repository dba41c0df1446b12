/** A program may return where TypeScript allows it only in a function. */
import type { Edit } from "./edits.ts";
import { functionAround, type TS, ts, walk } from "./typescript.ts";

/** `throw` ends what follows in the same way, and its value is looked at like any other. */
export function topLevelReturns(source: TS.SourceFile): Edit[] {
  return returnsOf(source).map(asThrow);
}

/** For a program that is over: what is known after its last statement is what it leaves behind. */
export function finishedReturns(source: TS.SourceFile): Edit[] {
  return returnsOf(source).map((statement) => {
    if (statement !== source.statements.at(-1)) return asThrow(statement);
    const start = statement.getStart(source);
    return { start, end: start + "return".length, text: statement.expression ? "void  " : "      " };
  });
}

function returnsOf(source: TS.SourceFile): TS.ReturnStatement[] {
  const found: TS.ReturnStatement[] = [];
  walk(source, (node) => {
    if (ts.isFunctionLike(node) || ts.isClassStaticBlockDeclaration(node)) return false;
    if (ts.isReturnStatement(node) && !functionAround(node)) found.push(node);
    return true;
  });
  return found;
}

function asThrow(statement: TS.ReturnStatement): Edit {
  const start = statement.getStart();
  return { start, end: start + "return".length, text: statement.expression ? "throw " : "throw 0" };
}
