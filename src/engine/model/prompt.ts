/** The conversation in the form that one model takes. Each message is turned once, when it is first sent. */
import type { AssistantMessage, Message } from "../../core/message.ts";
import type { LanguageModel, ModelTraits } from "../../core/model.ts";
import { saysSomething } from "./answer.ts";
import { wantsCacheMarks, withCacheMark } from "./cache-mark.ts";
import { imagesOf, type SpecVersion, turnFiles, turnOutput, withoutImages } from "./prompt-files.ts";

export class Prompt {
  readonly #version: SpecVersion;
  readonly #provider: string;
  readonly #traits: ModelTraits;
  readonly #marks: boolean;
  readonly #origins: ReadonlyMap<object, string>;
  /** What was turned already; index 0 is the system message. */
  #turned: any[] = [undefined];
  #count = 0;
  #first: Message | undefined;
  #last: Message | undefined;

  /** `origins` tells which provider wrote an assistant message. */
  constructor(model: LanguageModel, traits: ModelTraits, origins: ReadonlyMap<object, string>) {
    const { specificationVersion: version, provider } = model;
    this.#version = version === "v2" || version === "v4" ? version : "v3";
    this.#provider = providerOf(provider);
    this.#traits = traits;
    this.#marks = wantsCacheMarks(model);
    this.#origins = origins;
  }

  /** The prompt for these messages, in an array of its own: of those sent before, the same objects in the same order. */
  for(instructions: string, messages: readonly Message[]): any[] {
    if (messages[0] !== this.#first || messages[this.#count - 1] !== this.#last) this.forget();
    for (; this.#count < messages.length; this.#count++) this.#turn(messages[this.#count]!);
    this.#first = messages[0];
    this.#last = messages[this.#count - 1];

    if (this.#turned[0]?.content !== instructions) this.#turned[0] = this.#system(instructions);
    const prompt = this.#turned.slice(instructions === "" ? 1 : 0);
    if (this.#marks && prompt.length > 0) prompt[prompt.length - 1] = withCacheMark(prompt.at(-1));
    return prompt;
  }

  /** The conversation is another one than before: it was shortened, or its end was rewritten. */
  forget(): void {
    this.#turned = [this.#turned[0]];
    this.#count = 0;
  }

  #system(instructions: string): unknown {
    const message = { role: "system", content: instructions };
    return this.#marks ? withCacheMark(message) : message;
  }

  #turn(message: Message): void {
    if (message.role === "tool") this.#turned.push(...this.#turnResults(message));
    else if (message.role === "user") this.#turned.push(turnFiles(message, this.#version));
    else if (message.content.some(saysSomething)) this.#turned.push(this.#turnAnswer(message));
  }

  /** What another provider reasoned, and signed, is of no use to this one; reasoning alone is refused by most. */
  #turnAnswer(message: AssistantMessage): unknown {
    if (!this.#isForeign(message)) return turnFiles(message, this.#version);
    const content = message.content.filter(saysSomething).map(({ providerOptions: _, ...part }) => part);
    return turnFiles({ role: "assistant", content } as AssistantMessage, this.#version);
  }

  #isForeign(message: AssistantMessage): boolean {
    const origin = this.#origins.get(message);
    if (origin !== undefined) return origin !== this.#provider;
    // Taken over from another run: the metadata tells.
    const keys = message.content.flatMap(({ providerOptions }) => Object.keys(providerOptions ?? {}));
    return keys.length > 0 && !keys.some((key) => isKeyOf(this.#provider, key));
  }

  #turnResults(message: Extract<Message, { role: "tool" }>): any[] {
    if (message.content.every(({ output }) => output.type !== "content")) return [message];
    if (this.#traits.toolResultImages) {
      const content = message.content.map((part) => ({ ...part, output: turnOutput(part.output, this.#version) }));
      return [{ ...message, content }];
    }
    const results = { ...message, content: message.content.map(withoutImages) };
    const images = message.content.flatMap(imagesOf);
    return images.length === 0 ? [results] : [results, turnFiles({ role: "user", content: images }, this.#version)];
  }
}

/** `openai.responses` → `openai` */
export function providerOf(provider: string): string {
  return provider.split(".")[0]!;
}

/** Most packages name their metadata after themselves. */
function isKeyOf(provider: string, key: string): boolean {
  if (key === provider) return true;
  const others: Record<string, readonly string[]> = {
    azure: ["openai"],
    google: ["vertex"],
    vertex: ["anthropic", "google"],
    "amazon-bedrock": ["bedrock", "anthropic"],
    "openai-compatible": ["openaiCompatible"],
  };
  return others[provider]?.includes(key) ?? false;
}
