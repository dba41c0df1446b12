/** Taking secrets out of texts and values: which forms, which fragments, and nothing else. */
import { describe, expect, test } from "vitest";
import { SecretStream } from "../../../src/core/redact/byte-stream.ts";
import { Matcher } from "../../../src/core/redact/matcher.ts";
import { Redactor } from "../../../src/core/redact/redactor.ts";
import { findings, formsFor, harmless, samples } from "./samples.ts";

const all = new Redactor(Object.entries(samples));
const mark = (name: string) => `[REDACTED:${name}]`;

describe("each form", () => {
  const cases = Object.entries(samples).flatMap(([name, value]) =>
    Object.entries(formsFor(value)).map(([form, text]) => [name, form, text] as const),
  );
  test.each(cases)("%s: %s", (name, _form, text) => {
    const redactor = new Redactor([[name, samples[name]!]]);
    expect(redactor.text(`before ${text} after`)).toBe(`before ${mark(name)} after`);
    expect(findings(all.text(`<${text}>`))).toEqual([]);
  });

  test("is found inside an encoding of more than it", () => {
    for (const [name, value] of Object.entries(samples)) {
      if (Buffer.byteLength(value) < 12) continue;
      for (const before of ["", "a", "ab"]) {
        const text = Buffer.from(`${before}${value} and more`).toString("base64");
        expect(all.text(text), name).toContain(mark(name));
        expect(findings(all.text(text))).toEqual([]);
      }
    }
  });
});

describe("fragments", () => {
  const token = "tK9xQ2mZ7pL4vB8nR5wY3cF6";
  const redactor = new Redactor([["T", token]]);

  test("of eight characters and more, wherever they begin", () => {
    for (let from = 0; from + 8 <= token.length; from++) {
      for (let to = from + 8; to <= token.length; to++)
        expect(redactor.text(`(${token.slice(from, to)})`)).toBe("([REDACTED:T])");
    }
  });

  test("shorter ones stay", () => {
    expect(redactor.text(`(${token.slice(3, 10)})`)).toBe(`(${token.slice(3, 10)})`);
  });

  test("also of encodings: lines of base64 that were broken", () => {
    const text = Buffer.from(samples.LONG!).toString("base64").replace(/.{76}/g, "$&\n");
    expect(findings(all.text(text))).toEqual([]);
    expect(all.text(text).replaceAll(mark("LONG"), "").trim().length).toBeLessThan(8 + 1);
  });

  test("what could stand in any text is a fragment only when it is long", () => {
    const phrase = new Redactor([["P", samples.PHRASE!]]);
    expect(phrase.text("the battery of a horse")).toBe("the battery of a horse");
    expect(phrase.text("correct horse battery")).toBe("[REDACTED:P]");
  });

  test("a short secret inside the beginning of a long one is still found", () => {
    const both = new Redactor([
      ["A", "token"],
      ["B", "token-long-and-wordy"],
    ]);
    expect(both.text("token-long")).toBe("[REDACTED:A]-long");
    expect(both.text("token-long-and-wordy")).toBe("[REDACTED:B]");
  });
});

describe("what is left alone", () => {
  test.each(harmless.map((text) => [text]))("%j", (text) => {
    expect(all.text(text)).toBe(text);
    const value = { text, [`k${text}`]: [text, { text }], error: { message: text } };
    expect(all.value(value)).toBe(value);
    const stream = all.stream();
    expect(Buffer.concat([stream.push(Buffer.from(text)), stream.end()]).toString()).toBe(text);
  });

  test("bytes that are no text", () => {
    const bytes = Buffer.from(Array.from({ length: 512 }, (_, index) => (index * 37) & 255));
    const stream = all.stream();
    expect(Buffer.concat([stream.push(bytes), stream.end()]).equals(bytes)).toBe(true);
  });

  test("values under four bytes; two characters may be four bytes", () => {
    expect(new Redactor([["S", "abc"]]).none).toBe(true);
    expect(new Redactor([["S", "日本"]]).text("in 日本 now")).toBe("in [REDACTED:S] now");
  });

  test("numbers, but those that are a secret", () => {
    const redactor = new Redactor([["N", "1234567890"]]);
    expect(redactor.value({ a: 1234567890, b: 12345, c: [1.5, 1234567891], d: 1234567890n })).toEqual({
      a: "[REDACTED:N]",
      b: 12345,
      c: [1.5, 1234567891],
      d: "[REDACTED:N]",
    });
  });

  test("the log's own words, so that an entry can still be read", () => {
    const redactor = new Redactor([
      ["A", "text"],
      ["B", "tool-end"],
      ["C", "message"],
    ]);
    expect(redactor.value({ type: "tool-end", message: { role: "user", text: "a text, a message" } })).toEqual({
      type: "tool-end",
      message: { role: "user", text: "a [REDACTED:A], a [REDACTED:C]" },
    });
  });

  test("what was cleaned already, whatever secrets are called", () => {
    const redactor = new Redactor([
      ["REDACTED", "REDACTED1"],
      ["GH_TOKEN_12345678", "xGH_TOKEN_12345678x"],
      ["A", "ACTED"],
    ]);
    const once = redactor.text("REDACTED1 xGH_TOKEN_12345678x ACTED");
    expect(redactor.text(once)).toBe(once);
  });
});

describe("pieces", () => {
  const matcher = new Matcher(Object.entries(samples));
  const inPieces = (text: string, size: (index: number) => number) => {
    const bytes = Buffer.from(text);
    const stream = new SecretStream(matcher);
    const out: Buffer[] = [];
    for (let at = 0, index = 0; at < bytes.length; index++) {
      const end = at + size(index);
      out.push(Buffer.from(stream.push(bytes.subarray(at, end))));
      at = end;
    }
    return Buffer.concat([...out, stream.end()]).toString();
  };

  test("give what the whole gives, in every split of two and in every size of piece", () => {
    for (const [name, value] of Object.entries(samples)) {
      const text = `say ${value} and ${Buffer.from(value).toString("base64")}, ${name}`;
      const whole = all.text(text);
      for (let at = 1; at < Buffer.byteLength(text); at++)
        expect(inPieces(text, (index) => (index === 0 ? at : text.length * 4))).toBe(whole);
      for (const size of [1, 2, 3, 5, 7, 8, 9, 16, 100]) expect(inPieces(text, () => size)).toBe(whole);
    }
  });

  test("only what could go on waits", () => {
    const stream = new SecretStream(new Matcher([["T", "tK9xQ2mZ7pL4"]]));
    const push = (text: string) => stream.push(Buffer.from(text)).toString();
    expect(["hello tK9x", "!", "tK9xQ2m", "Z7pL4", " ok"].map(push)).toEqual([
      "hello ",
      "tK9x!",
      "",
      "",
      "[REDACTED:T] ok",
    ]);
    expect(stream.end().toString()).toBe("");
  });

  test("what waited comes at the end", () => {
    const stream = new SecretStream(new Matcher([["T", "tK9xQ2mZ7pL4"]]));
    expect(stream.push(Buffer.from("tK9xQ2m")).toString()).toBe("");
    expect(stream.end().toString()).toBe("tK9xQ2m");
  });
});

describe("the cost, counted", () => {
  const texts: Record<string, (size: number) => string> = {
    "ordinary text": (size) => "The quick brown fox jumps over the lazy dog. ".repeat(size).slice(0, size),
    "one secret after the other": (size) => `${samples.GITHUB} `.repeat(size).slice(0, size),
    "the start of a secret, over and over": (size) => samples.GITHUB!.slice(0, 7).repeat(size).slice(0, size),
    "one character": (size) => "a".repeat(size),
    "windows of all of them": (size) =>
      Object.values(samples)
        .map((value) => value.slice(0, 11))
        .join("")
        .repeat(size)
        .slice(0, size),
  };
  test.each(Object.entries(texts))("no place is looked up twice: %s", (_, make) => {
    const redactor = new Redactor([...Object.entries(samples), ["AS", "a".repeat(64)]]);
    const lookups = (size: number) => {
      const before = redactor.matcher.lookups;
      redactor.text(make(size));
      return redactor.matcher.lookups - before;
    };
    // The first look finds out whether there is anything; the second takes it out.
    for (const size of [1_000, 10_000, 100_000])
      expect(lookups(size)).toBeLessThanOrEqual(2 * Buffer.byteLength(make(size)));
  });

  test("a stream of single bytes looks at each once, too", () => {
    const matcher = new Matcher(Object.entries(samples));
    const stream = new SecretStream(matcher);
    const bytes = Buffer.from(`${samples.GITHUB} and ${samples.KEY}`.repeat(20));
    for (const byte of bytes) stream.push(Uint8Array.of(byte));
    stream.end();
    expect(matcher.lookups).toBeLessThanOrEqual(bytes.length);
  });
});
