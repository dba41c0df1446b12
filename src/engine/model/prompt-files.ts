/** Files and images of a conversation, in the shapes of each version of the provider spec. */
import type {
  AssistantMessage,
  FilePart,
  TextPart,
  ToolOutput,
  ToolResultPart,
  UserMessage,
} from "../../core/message.ts";

export type SpecVersion = "v2" | "v3" | "v4";

/** The same message where it has no files. */
export function turnFiles(message: UserMessage | AssistantMessage, version: SpecVersion): any {
  if (!message.content.some(({ type }) => type === "file")) return message;
  const content = (message.content as any[]).map((part) => (part.type === "file" ? turnFile(part, version) : part));
  return { ...message, content };
}

function turnFile(part: FilePart, version: SpecVersion): unknown {
  // A URL that went through a log is text.
  const data = typeof part.data === "string" && /^https?:\/\//.test(part.data) ? new URL(part.data) : part.data;
  if (version !== "v4") return { ...part, data };
  return { ...part, data: data instanceof URL ? { type: "url", url: data } : { type: "data", data } };
}

/** The output of a tool, with its images in it. */
export function turnOutput(output: ToolOutput, version: SpecVersion): unknown {
  if (output.type !== "content") return output;
  const value = output.value.map((part) => (part.type === "text" ? part : turnImage(part, version)));
  // Some models get nothing at all from a result without text.
  const hasText = output.value.some(({ type }) => type === "text");
  return { type: "content", value: hasText ? value : [{ type: "text", text: "(image)" }, ...value] };
}

type ImagePart = Extract<Extract<ToolOutput, { type: "content" }>["value"][number], { type: "image-data" }>;

function turnImage({ data, mediaType }: ImagePart, version: SpecVersion): unknown {
  if (version === "v2") return { type: "media", data, mediaType };
  if (version === "v4") return { type: "file", data: { type: "data", data }, mediaType };
  return { type: "image-data", data, mediaType };
}

/** The images of a result as parts of a user message, for models that get none in results. */
export function imagesOf({ toolName, output }: ToolResultPart): (TextPart | FilePart)[] {
  const images = output.type === "content" ? output.value.filter((part) => part.type === "image-data") : [];
  if (images.length === 0) return [];
  const said: TextPart = { type: "text", text: `From the result of ${toolName} above:` };
  return [said, ...images.map(({ data, mediaType }): FilePart => ({ type: "file", data, mediaType }))];
}

export function withoutImages(part: ToolResultPart): ToolResultPart {
  if (part.output.type !== "content") return part;
  const texts = part.output.value.flatMap((item) => (item.type === "text" ? [item.text] : []));
  const isAll = texts.length === part.output.value.length;
  const value = [...texts, ...(isAll ? [] : ["(The image follows in the next message.)"])].join("\n");
  return { ...part, output: { type: "text", value } };
}
