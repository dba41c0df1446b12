/** The conversation in the form that one model takes. Each message is turned once, when it is first sent. */
import type { AssistantMessage, FilePart, Message, ToolMessage, ToolResultPart } from "../../core/message.ts";
import type { LanguageModel, ModelTraits } from "../../core/model.ts";

type SpecVersion = "v2" | "v3" | "v4";

export class Prompt {
  readonly #version: SpecVersion;
  readonly #provider: string;
  readonly #traits: ModelTraits;
  readonly #origins: WeakMap<object, string>;
  /** What was turned already; index 0 is the system message. */
  readonly #turned: any[] = [undefined];
  #count = 0;

  /** `origins` tells which provider wrote an assistant message. */
  constructor(model: LanguageModel, traits: ModelTraits, origins: WeakMap<object, string>) {
    this.#version =
      model.specificationVersion === "v2" || model.specificationVersion === "v4" ? model.specificationVersion : "v3";
    this.#provider = providerOf(model.provider);
    this.#traits = traits;
    this.#origins = origins;
  }

  /** The prompt for these messages, which only ever grow. The array is the prompt's own: to be read, not kept. */
  for(instructions: string, messages: readonly Message[]): any[] {
    if (messages.length < this.#count) {
      this.#turned.length = 1;
      this.#count = 0;
    }
    if (this.#count > 0 && messages[this.#count - 1]!.role === "tool") this.#dropLast(messages);
    for (; this.#count < messages.length; this.#count++) this.#turned.push(...this.#turn(messages[this.#count]!));
    if (instructions === "") return this.#turned.slice(1);
    if (this.#turned[0]?.content !== instructions) this.#turned[0] = this.#system(instructions);
    return this.#provider === "anthropic" ? withCacheMark(this.#turned) : this.#turned;
  }

  /** Results may still have been added to the last tool message: it is turned again. */
  #dropLast(messages: readonly Message[]): void {
    this.#count--;
    this.#turned.length -= this.#turn(messages[this.#count]!).length;
  }

  #system(instructions: string): unknown {
    const message = { role: "system", content: instructions };
    return this.#provider === "anthropic" ? { ...message, providerOptions: cacheMark } : message;
  }

  #turn(message: Message): any[] {
    if (message.role === "tool") return this.#turnResults(message);
    if (message.role === "assistant") return [this.#turnAnswer(message)];
    if (this.#version !== "v4" || message.content.every(({ type }) => type === "text")) return [message];
    return [{ ...message, content: message.content.map((part) => (part.type === "file" ? fileOfV4(part) : part)) }];
  }

  /** What another provider reasoned, and signed, is of no use to this one. */
  #turnAnswer(message: AssistantMessage): unknown {
    const origin = this.#origins.get(message);
    if (!origin || origin === this.#provider) return message;
    const content = message.content.filter(({ type }) => type !== "reasoning");
    return { role: "assistant", content: content.map(({ providerOptions: _, ...part }) => part) };
  }

  #turnResults(message: ToolMessage): any[] {
    if (message.content.every(({ output }) => output.type !== "content")) return [message];
    if (this.#traits.toolResultImages) {
      return [
        { ...message, content: message.content.map((part) => ({ ...part, output: this.#turnOutput(part.output) })) },
      ];
    }
    const images = message.content.flatMap(imagesOf);
    const results = { ...message, content: message.content.map(withoutImages) };
    if (images.length === 0) return [results];
    const files = images.map(({ data, mediaType }): FilePart => ({ type: "file", data, mediaType }));
    const content = [{ type: "text" as const, text: "The images of the tool results above:" }, ...files];
    return [results, ...this.#turn({ role: "user", content })];
  }

  #turnOutput(output: ToolResultPart["output"]): unknown {
    if (output.type !== "content") return output;
    const value = output.value.map((part) => {
      if (part.type === "text") return part;
      if (this.#version === "v2") return { type: "media", data: part.data, mediaType: part.mediaType };
      if (this.#version === "v4")
        return { type: "file", data: { type: "data", data: part.data }, mediaType: part.mediaType };
      return part;
    });
    // Some models get nothing at all from a result without text.
    return {
      type: "content",
      value: value.some(({ type }) => type === "text") ? value : [{ type: "text", text: "(image)" }, ...value],
    };
  }
}

/** `openai.responses` → `openai` */
export function providerOf(provider: string): string {
  return provider.split(".")[0]!;
}

const cacheMark = { anthropic: { cacheControl: { type: "ephemeral" } } };

/** Anthropic caches up to a mark; the others cache without one. The mark goes on the last message. */
function withCacheMark(prompt: any[]): any[] {
  const last = prompt.at(-1);
  return [...prompt.slice(0, -1), { ...last, providerOptions: { ...last.providerOptions, ...cacheMark } }];
}

function fileOfV4(part: FilePart): unknown {
  return {
    ...part,
    data: part.data instanceof URL ? { type: "url", url: part.data } : { type: "data", data: part.data },
  };
}

function imagesOf({ output }: ToolResultPart) {
  return output.type === "content" ? output.value.filter((part) => part.type === "image-data") : [];
}

function withoutImages(part: ToolResultPart): ToolResultPart {
  if (part.output.type !== "content") return part;
  const texts = part.output.value.flatMap((item) => (item.type === "text" ? [item.text] : []));
  return {
    ...part,
    output: { type: "text", value: [...texts, "(The image follows in the next message.)"].join("\n") },
  };
}
