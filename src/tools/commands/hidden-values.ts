/** Takes secret values out of output while it streams, before anything cuts it, shows it or writes it to a file. */
import { type ByteStream, SecretStream } from "../../core/redact/byte-stream.ts";
import { Matcher } from "../../core/redact/matcher.ts";
import { chained } from "../../core/redact/redactor.ts";
import { redaction, type Secrets } from "../../core/secrets.ts";

export class HiddenValues {
  /** Each makes a stream of its own. */
  readonly #makers: (() => ByteStream)[] = [];

  /** All that the run takes out, whichever secrets the tool itself may use; or values by name. */
  constructor(given: Secrets | Readonly<Record<string, string>>) {
    const run = (given as Partial<Secrets>)[redaction];
    if (run) this.#makers.push(run.stream);
    else this.add(isSecrets(given) ? given.env() : given);
  }

  /** Values under `minBytes` are not taken out, and none under four. */
  add(values: Readonly<Record<string, string>>, minBytes = 0): this {
    const matcher = new Matcher(Object.entries(values).filter(([, value]) => Buffer.byteLength(value) >= minBytes));
    if (!matcher.none) this.#makers.push(() => new SecretStream(matcher));
    return this;
  }

  /** Undefined when there is nothing to take out. */
  stream(): ByteStream | undefined {
    const streams = this.#makers.map((make) => make());
    return streams.length > 1 ? chained(streams) : streams[0];
  }
}

function isSecrets(given: Secrets | Readonly<Record<string, string>>): given is Secrets {
  return typeof given.env === "function";
}
