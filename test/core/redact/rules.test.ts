/** Known shapes: what they find, what they leave, and that none of them takes more than linear time. */
import { describe, expect, test } from "vitest";
import { Redactor } from "../../../src/core/redact/redactor.ts";
import { type KnownShape, readRule } from "../../../src/core/redact/rules.ts";
import { harmless, PEM, samples } from "./samples.ts";

const with_ = (...names: KnownShape[]) =>
  new Redactor(
    [],
    names.map((name) => readRule(name)!),
  );
const all = with_("email", "jwt", "private-key", "token");
const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U";

describe("finds", () => {
  test.each<[KnownShape, string]>([
    ["email", "a.b+c@mail.example.co.uk"],
    ["jwt", jwt],
    ["private-key", PEM.trim()],
    ["private-key", PEM.replaceAll("PRIVATE", "RSA PRIVATE").trim()],
    ["private-key", JSON.stringify(PEM.trim()).slice(1, -1)],
    ["token", samples.GITHUB!],
    ["token", `github_pat_${"a1B2".repeat(8)}`],
    ["token", `glpat-${"a1B2".repeat(6)}`],
    ["token", `sk-proj-${"a1B2".repeat(10)}`],
    ["token", `sk-ant-api03-${"a1B2".repeat(10)}`],
    ["token", `sk_live_${"a1B2".repeat(6)}`],
    ["token", "AKIAIOSFODNN7EXAMPLE"],
    ["token", `xoxb-${"123456789012-"}abcdefABCDEF`],
    ["token", `AIza${"a1B2-".repeat(7)}`],
    ["token", `npm_${"a1B2".repeat(9)}`],
    ["token", `hf_${"a1B2".repeat(9)}`],
  ])("%s: %s", (name, text) => {
    const mark = `[REDACTED:${name}]`;
    expect(with_(name).text(`x=${text} y`)).toBe(`x=${mark} y`);
    expect(with_(name).text(`"${text}", "${text}"`)).toBe(`"${mark}", "${mark}"`);
    const stream = with_(name).stream();
    const pieces = [...`see "${text}" ok`].map((piece) => stream.push(Buffer.from(piece)).toString());
    expect(pieces.join("") + stream.end()).toBe(`see "${mark}" ok`);
  });

  test("a key whose end was cut off, to where the text ends", () => {
    expect(all.text(`${PEM.slice(0, 120)}`)).toBe("[REDACTED:private-key]");
  });
});

describe("leaves", () => {
  test.each(harmless.filter((text) => !text.includes("@") && !text.includes("PRIVATE")).map((text) => [text]))(
    "%j",
    (text) => {
      expect(all.text(text)).toBe(text);
    },
  );
  test.each([
    ["sk-short"],
    ["AKIAshort"],
    ["a@b"],
    ["@scope/package@1.2.3"],
    ["eyJ.eyJ"],
    ["task-force-of-the-whole-world-in-one"],
    ["user@host"],
  ])("%s", (text) => {
    expect(all.text(text)).toBe(text);
  });
});

test.each([
  ["a"],
  ["a."],
  ["a@"],
  ["a@b."],
  ["eyJ"],
  ["eyJ-"],
  ["eyJaaaaaaaa."],
  ["-----BEGIN PRIVATE KEY-----"],
  ["-----BEGIN "],
  ["-"],
  ["sk-"],
  ["ghp_"],
  ["xox"],
])("a megabyte of %s is over soon", { timeout: 10_000 }, (piece) => {
  const text = piece.repeat(Math.ceil(1_000_000 / piece.length));
  all.text(text);
  const stream = all.stream();
  for (let at = 0; at < text.length; at += 16_384) stream.push(Buffer.from(text.slice(at, at + 16_384)));
  stream.end();
});
