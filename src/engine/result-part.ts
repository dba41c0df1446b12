/** What the model reads of a call that is over: its result, or a preview of one that is too long. A pure reading of the entry. */
import { decode } from "../base/codec.ts";
import type { Json } from "../base/json.ts";
import type { EntryOf } from "../core/log.ts";
import type { ToolOutput, ToolResultPart } from "../core/message.ts";
import { modelText } from "../core/tool-result.ts";

type ToolEnd = EntryOf<"tool-end">;

/** Takes note of results of which the model reads a part only. */
export interface Reader {
  hasMore: boolean;
}

/** The tool that reads on in a result. */
export const READ_RESULT = "read_result";

/** Characters of a result above which the model reads a preview. */
export const RESULT_LIMIT = 50_000;

/** A call's end as the model reads it, under the id and the name that it used. */
export function resultPart({ id, name }: { id: string; name: string }, end: ToolEnd, reader: Reader): ToolResultPart {
  return { type: "tool-result", toolCallId: id, toolName: name, output: outputOf(end, reader) };
}

/** The whole text of a result, as far as it is text. */
export function wholeText({ error, content, output }: ToolEnd): string {
  if (error) return error.hint ? `${error.message}\n${error.hint}` : error.message;
  if (!content) return output === undefined ? "" : textOfOutput(output);
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

function outputOf(end: ToolEnd, reader: Reader): ToolOutput {
  const { content, error, limit = RESULT_LIMIT } = end;
  const text = wholeText(end);
  const isLong = text.length > limit && limit > 0;
  if (isLong) reader.hasMore = true;
  const value = isLong ? preview(text, limit, end.key) : text;
  if (error) return { type: "error-text", value };
  if (!content) return { type: "text", value };
  const parts = content.map(imageOrText);
  if (!isLong) return { type: "content", value: parts };
  return { type: "content", value: [{ type: "text", text: value }, ...parts.filter(({ type }) => type !== "text")] };
}

type ContentItem = Extract<ToolOutput, { type: "content" }>["value"][number];

function imageOrText(part: NonNullable<ToolEnd["content"]>[number]): ContentItem {
  return part.type === "text" ? part : { type: "image-data", data: part.data, mediaType: part.mediaType };
}

/** Almost every output is plain JSON, whose text needs no decoding. */
function textOfOutput(output: Json): string {
  if (typeof output === "string") return output;
  const text = JSON.stringify(output);
  return text.includes('"$haft"') ? modelText(decode(output)) : text;
}

/** A fifth of the limit: the most of it from the beginning, and the end. */
function preview(text: string, limit: number, callId: string): string {
  const head = endOfPiece(text, Math.floor(limit * 0.15));
  const tail = endOfPiece(text, text.length - Math.floor(limit * 0.05));
  const way = `${READ_RESULT}({ "call": "${callId}", "offset": ${head} }) reads on; with "grep" it finds lines.`;
  const note = `[… Characters ${head} to ${tail} of ${text.length} are left out here. ${way} …]`;
  return `${text.slice(0, head)}\n\n${note}\n\n${text.slice(tail)}`;
}

/** After a whole character, and after a whole line where one ends near. */
export function endOfPiece(text: string, place: number): number {
  const line = text.lastIndexOf("\n", place - 1) + 1;
  if (line > 0 && place - line < 200) return line;
  return isInsidePair(text, place) ? place - 1 : place;
}

function isInsidePair(text: string, place: number): boolean {
  const code = text.charCodeAt(place);
  return code >= 0xdc00 && code <= 0xdfff;
}
