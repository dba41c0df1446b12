/** All of a call, as lines for a person who must agree to it: what it would change, or its whole input. */
import { posix } from "node:path";
import { decode } from "../../base/codec.ts";
import { messageOf } from "../../base/errors.ts";
import type { Json } from "../../base/json.ts";
import { CallContext } from "../../core/call-context.ts";
import type { PendingCall } from "../../core/decision.ts";
import type { FileChange } from "../../core/sandbox.ts";
import { checkInput } from "../../core/tool-run.ts";
import { resolveTool } from "../../core/tool-spec.ts";
import type { Project } from "../../project/index.ts";
import type { Colors } from "../render/colors.ts";
import { diffLines, textOf } from "../render/diff.ts";
import { visible } from "../render/visible.ts";

/** Milliseconds that working out a change may take. */
const PREVIEW_TIME = 5000;

export interface ShownCall {
  lines: string[];
  /** These are changes of files, of which a first part may be enough. */
  isDiff: boolean;
}

export async function shownCall(call: PendingCall, project: Project, colors: Colors): Promise<ShownCall> {
  let note: string | undefined;
  try {
    const changes = await previewOf(call, project);
    const lines = changes && changesLines(changes, colors);
    if (lines) return { lines, isDiff: true };
  } catch (error) {
    note = colors.yellow(`As things are it would fail: ${visible(messageOf(error))}`);
  }
  return { lines: [...inputLines(call.input, colors), ...(note ? note.split("\n") : [])], isDiff: false };
}

/** What the tool says that it would change. It changes nothing for that. */
async function previewOf(call: PendingCall, project: Project): Promise<readonly FileChange[] | undefined> {
  const { settings, sandbox } = project;
  const tool = settings.tools.map(resolveTool).find(({ name }) => name === call.name);
  if (!tool?.definition.preview) return undefined;
  const abortSignal = AbortSignal.timeout(PREVIEW_TIME);
  const ctx = new CallContext({
    callId: call.callId,
    sandbox,
    cwd: settings.cwd,
    options: tool.optionValues,
    abortSignal,
  });
  const input = await checkInput(tool, decode(call.input as Json), ctx);
  const late = new Promise<undefined>((resolve) => abortSignal.addEventListener("abort", () => resolve(undefined)));
  return Promise.race([tool.definition.preview(input, ctx), late]);
}

/** undefined where there is nothing that can be shown as a diff. */
function changesLines(changes: readonly FileChange[], colors: Colors): string[] | undefined {
  const all: string[] = [];
  for (const { path, type, before, after } of changes) {
    const [from, to] = [textOf(before), textOf(after)];
    if (from === undefined || to === undefined) return undefined;
    const diff = diffLines(from, to, colors, Number.POSITIVE_INFINITY);
    if (!diff) return undefined;
    const title = `${type} ${colors.bold(visible(posix.normalize(path)))}`;
    all.push(
      diff.lines.length > 0 ? `${title}  ${diff.summary}` : `${title}  ${after?.length === 0 ? "empty" : "no change"}`,
    );
    all.push(...diff.lines);
  }
  return all.length > 0 ? all : undefined;
}

/** Nothing is left out: who agrees must have seen it. Lines of a value are indented, so that none looks like another value. */
function inputLines(input: unknown, colors: Colors): string[] {
  const show = (text: string) => visible(text, colors.yellow).split("\n");
  const values = Object.entries((typeof input === "object" && input) || {});
  const only = values.length === 1 ? values[0]![1] : undefined;
  if (typeof only === "string") return show(only);
  if (values.length === 0 || Array.isArray(input)) return show(JSON.stringify(input, null, 2) ?? "");
  return values.flatMap(([key, value]) => {
    const [first = "", ...rest] = show(typeof value === "string" ? value : JSON.stringify(value));
    return [`${colors.dim(`${visible(key)}:`)} ${first}`, ...rest.map((line) => `  ${line}`)];
  });
}
