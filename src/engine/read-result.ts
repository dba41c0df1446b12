/** The tool by which a model reads on in a result that it was shown a part of. Loaded by the first run that has one. */
import type { EntryOf } from "../core/log.ts";
import { isOfConversation } from "../core/log-keys.ts";
import { Tool } from "../core/tool.ts";
import { type ContentPart, fail, ok } from "../core/tool-result.ts";
import { endOfPiece, READ_RESULT, RESULT_LIMIT, wholeText } from "./history.ts";
import type { RunState } from "./run-state.ts";

type ToolEnd = EntryOf<"tool-end">;

interface Wanted {
  call: string;
  offset?: number;
  limit?: number;
  grep?: string;
}

/** Characters that one call gives at most. */
const MOST = 20_000;
const MOST_LINES = 100;
const LONGEST_LINE = 300;

const input = {
  type: "object",
  properties: {
    call: { type: "string", description: "The call, as it is named where something was left out" },
    offset: { type: "integer", minimum: 0, description: "The first character to read. Default 0" },
    limit: { type: "integer", minimum: 1, description: `How many characters. Default and at most ${MOST}` },
    grep: { type: "string", minLength: 1, description: "Gives only the lines that have this text, in any capitals" },
  },
  required: ["call"],
  additionalProperties: false,
};

export function readResultTool(run: RunState): Tool {
  const results = new Results(run);
  return new Tool<any, any, any>({
    name: READ_RESULT,
    description: "Reads the result of an earlier call, or a part of it, where it was left out of the conversation.",
    input,
    readOnly: true,
    resultLimit: false, // it has a limit of its own
    handler: (wanted: Wanted) => results.read(wanted),
  });
}

/** The results of the log, by key. What is read is what was written: without secrets. */
class Results {
  readonly #byKey = new Map<string, ToolEnd>();
  readonly #run: RunState;
  #seen = 0;

  constructor(run: RunState) {
    this.#run = run;
  }

  read(wanted: Wanted) {
    const end = this.#find(wanted.call);
    if (!end)
      return fail(
        `There is no result of a call "${wanted.call}". Name it as it is named where something was left out.`,
      );
    const text = wholeText(end);
    const { offset = 0 } = wanted;
    if (offset > text.length) return fail(`That result has ${text.length} characters: there is nothing at ${offset}.`);
    const most = Math.min(MOST, Math.floor((this.#run.options.resultLimit || RESULT_LIMIT) * 0.8));
    const length = Math.min(wanted.limit ?? most, most);
    if (wanted.grep !== undefined) return linesWith(wanted.grep, text, offset, length);
    const piece = pieceOf(text, offset, length);
    const images = offset === 0 ? (end.content?.filter(({ type }) => type === "image") ?? []) : [];
    return images.length === 0
      ? piece
      : ok(piece, { content: [{ type: "text", text: piece }, ...images] as ContentPart[] });
  }

  /** A fork has the calls of its run under keys of its own, and a conversation that names the old ones. */
  #find(call: string): ToolEnd | undefined {
    const { entries } = this.#run.log;
    for (; this.#seen < entries.length; this.#seen++) {
      const entry = entries[this.#seen]!;
      if (entry.type === "tool-end" && isOfConversation(this.#run.id, entry)) this.#byKey.set(entry.key, entry);
    }
    const [session] = this.#run.id.split("/");
    return this.#byKey.get(call) ?? this.#byKey.get(session + call.slice(Math.max(0, call.indexOf("/"))));
  }
}

function pieceOf(text: string, offset: number, length: number): string {
  const isLast = offset + length >= text.length;
  const end = isLast ? text.length : Math.max(offset + 1, endOfPiece(text, offset + length));
  const more = isLast ? "the end" : `go on with offset ${end}`;
  return `[Characters ${offset} to ${end} of ${text.length}; ${more}]\n${text.slice(offset, end)}`;
}

function linesWith(grep: string, text: string, offset: number, length: number): string {
  const wanted = grep.toLowerCase();
  const found: string[] = [];
  let size = 0;
  let next: number | undefined;
  for (let start = offset; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(start, end);
    const at = line.toLowerCase().indexOf(wanted);
    if (at >= 0) {
      const shown = `${start + at}: ${around(line, at)}`;
      size += shown.length + 1;
      if (found.length > 0 && (found.length >= MOST_LINES || size > length)) {
        next = start;
        break;
      }
      found.push(shown);
    }
    start = end + 1;
  }
  if (found.length === 0) return `[No line from character ${offset} on has "${grep}"]`;
  const more = next === undefined ? "these are all" : `go on with offset ${next}`;
  return `[Lines with "${grep}", each after the place of the text in it; ${more}]\n${found.join("\n")}`;
}

/** Of a long line, what is near. */
function around(line: string, at: number): string {
  if (line.length <= LONGEST_LINE) return line;
  const start = Math.max(0, at - LONGEST_LINE / 3);
  return `${start > 0 ? "…" : ""}${line.slice(start, start + LONGEST_LINE)}…`;
}
