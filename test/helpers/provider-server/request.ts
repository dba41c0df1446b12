/** A request as the provider server got it, readable without knowing its protocol. */

import type { IncomingHttpHeaders } from "node:http";
import type { Protocol } from "./protocol.ts";

export interface ReadImage {
  mediaType: string;
  /** base64 */
  data: string;
}

export interface ReadToolResult {
  /** Google's protocol may have none. */
  id: string | undefined;
  text: string;
  images: ReadImage[];
}

/** One block of reasoning that was sent back. */
export interface ReadReasoning {
  text: string;
  /** Signature, encrypted content or thought signature. */
  signature: string | undefined;
}

export interface ReadMessage {
  role: "user" | "assistant" | "tool";
  text: string;
  images: ReadImage[];
  toolCalls: { id: string | undefined; name: string; input: unknown }[];
  toolResults: ReadToolResult[];
  reasoning: ReadReasoning[];
}

export interface ReadTool {
  name: string;
  description: string | undefined;
  parameters: any;
}

/** What a request says, whatever its protocol. */
export interface RequestContent {
  system: string;
  messages: ReadMessage[];
  tools: ReadTool[];
}

export class RecordedRequest {
  /** True when the client hung up before the answer was over. */
  abandoned = false;
  #content: RequestContent | undefined;
  readonly #protocol: Protocol;

  constructor(
    protocol: Protocol,
    /** From 0. */
    readonly index: number,
    readonly path: string,
    readonly headers: IncomingHttpHeaders,
    /** The parsed JSON body. */
    readonly body: any,
    readonly model: string,
    readonly stream: boolean,
  ) {
    this.#protocol = protocol;
  }

  get protocol(): Protocol["name"] {
    return this.#protocol.name;
  }

  get system(): string {
    return this.#read().system;
  }

  get messages(): ReadMessage[] {
    return this.#read().messages;
  }

  get tools(): ReadTool[] {
    return this.#read().tools;
  }

  /** All results of tools, in order. */
  get toolResults(): ReadToolResult[] {
    return this.messages.flatMap((message) => message.toolResults);
  }

  /** All reasoning that was sent back, in order. */
  get reasoning(): ReadReasoning[] {
    return this.messages.flatMap((message) => message.reasoning);
  }

  /** The text of the last message of the user. */
  get lastUserText(): string {
    return this.messages.filter((message) => message.role === "user").at(-1)?.text ?? "";
  }

  #read(): RequestContent {
    this.#content ??= this.#protocol.read(this.body);
    return this.#content;
  }
}

export function emptyMessage(role: ReadMessage["role"]): ReadMessage {
  return { role, text: "", images: [], toolCalls: [], toolResults: [], reasoning: [] };
}

/** `data:image/png;base64,…` as an image; anything else is undefined. */
export function imageOf(url: unknown): ReadImage | undefined {
  const match = typeof url === "string" ? /^data:([^;,]+);base64,(.*)$/s.exec(url) : null;
  return match ? { mediaType: match[1]!, data: match[2]! } : undefined;
}

/** A tool's arguments, as text or as a value. */
export function inputOf(text: unknown): unknown {
  if (typeof text !== "string") return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
