/** Live text on its way to watchers: what may be the start of a secret waits for the next piece, or for the end. */
import { StringDecoder } from "node:string_decoder";
import type { Entry, LiveEvent } from "../core/log.ts";
import type { ByteStream } from "../core/redact/byte-stream.ts";
import type { Redact } from "../core/secrets.ts";

type Delta = Extract<LiveEvent, { text: string }>;

interface Open {
  last: Delta;
  stream: ByteStream;
  decoder: StringDecoder;
  /** The first half of a character that a piece ended in. */
  half: string;
}

/** After these, nothing more of a key's text comes. */
const ends: ReadonlySet<Entry["type"]> = new Set(["model-response", "model-error", "tool-end", "tool-pause"]);

export class LiveText {
  readonly #make: () => ByteStream;
  readonly #redact: Redact;
  /** By the key of the call that speaks, then by what it says. */
  readonly #open = new Map<string, Map<string, Open>>();

  constructor(make: () => ByteStream, redact: Redact) {
    this.#make = make;
    this.#redact = redact;
  }

  /** What may be told now; undefined when all of it waits. */
  pass(event: LiveEvent): LiveEvent | undefined {
    if (!("text" in event)) return this.#redact(event);
    const open = this.#of(event);
    open.last = event;
    const text = open.half + event.text;
    open.half = /[\ud800-\udbff]$/.exec(text)?.[0] ?? "";
    const bytes = Buffer.from(text.slice(0, text.length - open.half.length));
    return this.#told(open, open.decoder.write(open.stream.push(bytes)));
  }

  /** What waited, when an entry ends the text of its key. */
  end(key: string, type: Entry["type"]): LiveEvent[] {
    const all = ends.has(type) ? this.#open.get(key) : undefined;
    if (!all) return [];
    this.#open.delete(key);
    return [...all.values()].flatMap((open) => this.#told(open, open.decoder.end(open.stream.end())) ?? []);
  }

  /** Its text went through the stream, and is not looked at again. */
  #told({ last }: Open, text: string): LiveEvent | undefined {
    return text === "" ? undefined : { ...this.#redact({ ...last, text: "" }), text };
  }

  #of(event: Delta): Open {
    const ofKey = this.#open.get(event.key) ?? new Map<string, Open>();
    this.#open.set(event.key, ofKey);
    const what = event.type === "tool-input-delta" ? `${event.type} ${event.id}` : event.type;
    const open = ofKey.get(what) ?? {
      last: event,
      stream: this.#make(),
      decoder: new StringDecoder(),
      half: "",
    };
    ofKey.set(what, open);
    return open;
  }
}
