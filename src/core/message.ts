/** The conversation as a model is shown it. The shapes are the AI SDK provider spec's, without what only one version has. */

/** Values that a provider gave with a part (signatures, encrypted reasoning) and wants back unchanged. */
export type ProviderOptions = Record<string, Record<string, any>>;

export interface TextPart {
  type: "text";
  text: string;
  providerOptions?: ProviderOptions;
}

export interface FilePart {
  type: "file";
  /** e.g. `image/png`, `application/pdf`, `image/*`. */
  mediaType: string;
  /** base64, bytes, or a URL that the model fetches. */
  data: string | Uint8Array | URL;
  filename?: string;
  providerOptions?: ProviderOptions;
}

export interface ReasoningPart {
  type: "reasoning";
  text: string;
  providerOptions?: ProviderOptions;
}

export interface ToolCallPart {
  type: "tool-call";
  /** The provider's id. Ours is the `callId` of the log. */
  toolCallId: string;
  toolName: string;
  /** An object; what could not be read as JSON is `{ invalid_json: text }`. */
  input: unknown;
  providerOptions?: ProviderOptions;
}

export type ToolOutput =
  | { type: "text"; value: string }
  | { type: "error-text"; value: string }
  | {
      type: "content";
      value: ({ type: "text"; text: string } | { type: "image-data"; data: string; mediaType: string })[];
    };

export interface ToolResultPart {
  type: "tool-result";
  toolCallId: string;
  toolName: string;
  output: ToolOutput;
  providerOptions?: ProviderOptions;
}

export interface UserMessage {
  role: "user";
  content: (TextPart | FilePart)[];
}

export interface AssistantMessage {
  role: "assistant";
  content: (TextPart | FilePart | ReasoningPart | ToolCallPart)[];
}

export interface ToolMessage {
  role: "tool";
  content: ToolResultPart[];
}

export type Message = UserMessage | AssistantMessage | ToolMessage;

/** What may be given as a message: text is a short form of one text part. */
export type MessageInput = string | { role: "user" | "assistant"; content: string } | Message;

export function toMessage(given: MessageInput): Message {
  if (typeof given === "string") return userText(given);
  if (typeof given.content === "string")
    return { role: given.role as "user", content: [{ type: "text", text: given.content }] };
  return given as Message;
}

export function userText(text: string): UserMessage {
  return { role: "user", content: [{ type: "text", text }] };
}

/** The text parts of a message, joined. */
export function textOf(message: { content: readonly { type: string }[] }): string {
  let text = "";
  for (const part of message.content) if (part.type === "text") text += (part as TextPart).text;
  return text;
}

/** A picture takes about as much, whatever its file's size. */
const IMAGE_TOKENS = 1_600;

/** Tokens of a message, where no model has counted them: rather too many than too few. */
export function estimateTokens(message: Message): number {
  let tokens = 4;
  for (const part of message.content) tokens += tokensOfPart(part);
  return tokens;
}

function tokensOfPart(part: Message["content"][number]): number {
  switch (part.type) {
    case "text":
    case "reasoning":
      return tokensOfText(part.text);
    case "tool-call":
      return tokensOfText(part.toolName) + tokensOfText(JSON.stringify(part.input) ?? "");
    case "tool-result":
      return tokensOfText(part.toolName) + tokensOfOutput(part.output);
    case "file":
      return tokensOfFile(part);
  }
}

function tokensOfOutput(output: ToolOutput): number {
  if (output.type !== "content") return tokensOfText(output.value);
  let tokens = 0;
  for (const part of output.value) tokens += part.type === "text" ? tokensOfText(part.text) : IMAGE_TOKENS;
  return tokens;
}

/** What is no picture is read page by page. */
function tokensOfFile({ mediaType, data }: FilePart): number {
  if (mediaType.startsWith("image/") || data instanceof URL) return IMAGE_TOKENS;
  return Math.max(IMAGE_TOKENS, Math.ceil(data.length / 50));
}

/** Code and JSON have fewer characters a token than prose. */
export function tokensOfText(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 3.5);
}
