/** The standing instructions: stable, short, and only of what there is. */
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import { codePrompt } from "../../../src/modes/code/prompt.ts";

const all = { declarations: "", hasExits: true, hasObjects: true, isShort: true };

test("fewer than 350 tokens without the declarations", () => {
  for (const hasExits of [true, false]) {
    expect(encode(codePrompt({ ...all, hasExits })).length).toBeLessThan(350);
  }
});

test("the same parts, the same bytes; declarations last, in a fence", () => {
  const parts = { ...all, isShort: false, declarations: "declare function f(): Promise<any>" };
  expect(codePrompt(parts)).toBe(codePrompt({ ...parts }));
  expect(codePrompt(parts).endsWith("\n\n```ts\ndeclare function f(): Promise<any>\n```")).toBe(true);
});

test("with exits a program leaves by one, without them a text ends the run", () => {
  expect(codePrompt(all)).toContain('return exit("name", value)');
  expect(codePrompt({ ...all, hasExits: false })).not.toContain("exit(");
  expect(codePrompt({ ...all, hasExits: false })).toContain("answer in text");
});

test("lookups and objects are told of where there are any", () => {
  expect(codePrompt(all)).toMatch(/describe\("name"\)[\s\S]*search\("words"\)/);
  expect(codePrompt({ ...all, isShort: false })).not.toMatch(/describe|search/);
  expect(codePrompt({ ...all, hasObjects: false })).not.toContain("readonly");
});
