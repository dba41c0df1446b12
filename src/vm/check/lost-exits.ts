/** `exit("done")` that is not returned: it leaves nothing, and the program goes on. */
import type { Finding } from "./lost-promises.ts";
import { bare } from "./nodes.ts";
import { type TS, ts, walk } from "./typescript.ts";

export function lostExits(
  file: TS.SourceFile,
  last: TS.Statement | undefined,
  declarations: TS.SourceFile,
  checker: TS.TypeChecker,
): Finding[] {
  const findings: Finding[] = [];
  walk(file, (node) => {
    if (!ts.isExpressionStatement(node) || node === last) return;
    const call = bare(node.expression);
    if (!ts.isCallExpression(call) || call.expression.getText(file) !== "exit") return;
    const signature = checker.getResolvedSignature(call);
    if (signature?.declaration?.getSourceFile() !== declarations) return;
    if (signature.getReturnType().flags & ts.TypeFlags.Never) return;
    findings.push({
      node: call,
      message: "exit(…) was not returned, so that the program goes on: write return exit(…).",
    });
  });
  return findings;
}
