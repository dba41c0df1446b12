/** TypeScript's words, shortened for a model: no files, no advice on installations, the overload that was meant. */
import { type TS, ts } from "./typescript.ts";

const LINES = 3;
const LINE_LENGTH = 400;

/** @param node where the diagnostic is */
export function messageOfDiagnostic(diagnostic: TS.Diagnostic, node: TS.Node): string {
  const { messageText } = diagnostic;
  if (typeof messageText === "string") return clean(messageText);
  const lines = chainOf(messageText, node).map(clean).filter(Boolean);
  // Only the second says it: "Element implicitly has an 'any' type because …".
  if (diagnostic.code === 7053 && lines.length > 1) lines.shift();
  return lines.slice(0, LINES).join("\n");
}

/** `Property 'total' does not exist on type 'Promise<Order>'`: TypeScript says aside that an await may be missing. */
export function forgottenAwait(diagnostic: TS.Diagnostic): string | undefined {
  const FORGOTTEN_AWAIT = 2773;
  const found = diagnostic.relatedInformation?.find(({ code }) => code === FORGOTTEN_AWAIT);
  return found && ts.flattenDiagnosticMessageText(found.messageText, "\n");
}

/** One line a link; where there are several reasons, the most telling. */
function chainOf(chain: TS.DiagnosticMessageChain, node: TS.Node): string[] {
  const { next = [] } = chain;
  if (next.length === 0) return [chain.messageText];
  const NO_OVERLOAD = 2769;
  if (chain.code !== NO_OVERLOAD) return [chain.messageText, ...chainOf(next[0]!, node)];
  const reasons = next.map((overload) => (overload.next?.[0] ? chainOf(overload.next[0], node) : []));
  return meant(reasons, node);
}

/** `exit("done", …)`: of the overloads, the one with this name. */
function meant(reasons: readonly string[][], node: TS.Node): string[] {
  const call = ts.findAncestor(node, ts.isCallExpression);
  const [name] = call?.arguments ?? [];
  const isOther = (lines: string[]) =>
    name && ts.isStringLiteralLike(name) && lines[0]?.startsWith(`Argument of type '"${name.text}"'`);
  return reasons.find((lines) => !isOther(lines)) ?? [...new Set(reasons.map(([first]) => first ?? ""))];
}

function clean(line: string): string {
  const cleaned = line
    .replace(/import\("[^"]*"\)\./g, "")
    .replace(/\$end_/g, "")
    .replace(/(\?: [^;{}]*?) \| undefined(?=;)/g, "$1")
    .replace(/ (Do you need to|Try `npm|Consider using '--).*$/s, "")
    .replace(/ or its corresponding type declarations\./, ".");
  return cleaned.length > LINE_LENGTH ? `${cleaned.slice(0, LINE_LENGTH)}…` : cleaned;
}
