/** Puts the parts of a stream together as they come, and tells the listener what grows. */
import type { ProviderOptions } from "../../core/message.ts";
import type { ModelTraits } from "../../core/model.ts";
import { type Answer, answerOf } from "./answer.ts";
import { BrokenAnswer, CallFault } from "./call-fault.ts";

/** Somebody who sees the answer grow. */
export interface Listener {
  text(delta: string): void;
  reasoning(delta: string): void;
  /** First the name with an empty delta, then deltas without the name. */
  toolInput(id: string, name: string, delta: string): void;
}

export class Collector {
  /** Something of the answer has come: it is not being thought about in silence any more. */
  begun = false;
  readonly #parts: any[] = [];
  readonly #texts = new Blocks("text", this.#parts);
  readonly #reasonings = new Blocks("reasoning", this.#parts);
  readonly #listener: Listener;
  #finish: any;

  constructor(listener: Listener) {
    this.#listener = listener;
  }

  /** @throws BrokenAnswer for an error part, whatever would follow it */
  take(part: any): void {
    switch (part.type) {
      case "text-delta":
        this.#texts.of(part).text += part.delta;
        if (part.delta === "") return;
        this.begun = true;
        this.#listener.text(part.delta);
        return;
      case "reasoning-delta":
        this.#reasonings.of(part).text += part.delta;
        if (part.delta === "") return;
        this.begun = true;
        this.#listener.reasoning(part.delta);
        return;
      case "tool-input-delta":
        this.#listener.toolInput(part.id, "", part.delta);
        return;
      case "tool-input-start":
        this.begun = true;
        if (!part.providerExecuted) this.#listener.toolInput(part.id, part.toolName, "");
        return;
      case "text-start":
        this.#texts.start(part);
        return;
      case "reasoning-start":
        this.#reasonings.start(part);
        return;
      case "text-end":
        this.#texts.of(part);
        return;
      case "reasoning-end":
        this.#reasonings.of(part);
        return;
      case "tool-call":
      case "file":
        this.#parts.push(part);
        return;
      case "finish":
        this.#finish = part;
        return;
      case "error":
        throw new BrokenAnswer(part.error);
    }
  }

  /** @throws CallFault */
  answer(settings: { traits: ModelTraits }): Answer {
    if (!this.#finish) throw new CallFault("MODEL_STREAM_BROKEN", "the answer ended without a finish");
    return answerOf({ ...this.#finish, content: this.#parts }, settings);
  }
}

interface Block {
  type: "text" | "reasoning";
  text: string;
  providerMetadata?: ProviderOptions;
}

/** Blocks of one kind interleave, so they are kept by id; in the answer they stand in the order in which they began. */
class Blocks {
  readonly #type: Block["type"];
  readonly #parts: any[];
  readonly #known = new Map<string, Block>();
  #last: Block | undefined;
  #lastId: string | undefined;

  constructor(type: Block["type"], parts: any[]) {
    this.#type = type;
    this.#parts = parts;
  }

  start(part: any): Block {
    const block: Block = { type: this.#type, text: "" };
    this.#parts.push(block);
    this.#known.set(part.id, block);
    this.#last = block;
    this.#lastId = part.id;
    return noted(block, part);
  }

  of(part: any): Block {
    if (part.id !== this.#lastId || !this.#last) {
      const block = this.#known.get(part.id);
      if (!block) return this.start(part); // a package that never said so
      this.#last = block;
      this.#lastId = part.id;
    }
    return part.providerMetadata === undefined ? this.#last : noted(this.#last, part);
  }
}

/** Start, deltas and end may each carry metadata: the last value of a provider's key wins. */
function noted(block: Block, { providerMetadata }: { providerMetadata?: ProviderOptions }): Block {
  if (!providerMetadata) return block;
  const all: ProviderOptions = { ...block.providerMetadata };
  for (const [provider, values] of Object.entries(providerMetadata)) all[provider] = { ...all[provider], ...values };
  block.providerMetadata = all;
  return block;
}
