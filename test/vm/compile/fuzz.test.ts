/** Programs that nobody would write: they compile to JavaScript, or there are problems, and nothing else. */
import { Script } from "node:vm";
import { parse } from "@babel/parser";
import fc from "fast-check";
import { expect, test } from "vitest";
import { compileProgram } from "../../../src/vm/compile/index.ts";
import { features } from "./features.ts";
import { functions } from "./run.ts";

const statements = [
  ...features.flatMap(({ setup, result }) => [setup, `return ${result}`]),
  ...[
    "search(1)",
    "void Orders.cancel(await search(1))",
    "a && search(1).then(b)",
    "import a from 'b'",
    "export * from 'a'",
  ],
  ...[
    "export default async () => <T>a",
    "export default class<T> { a!: T }",
    "() => a as T",
    "function a() {}",
    "'use strict'",
  ],
  ...[
    "{",
    "}",
    "(",
    "`${",
    "/*",
    "//",
    "'",
    "<T>",
    "@a",
    "class",
    "enum A {",
    "=>",
    "async",
    "\u2028",
    "\uD800",
    "#!",
    "```",
  ],
];

const separators = ["", " ", "\n", "\n\n", ";", ";\n", " // (\n", "/* ) */", "\t", "\r\n", "{", "}"];

const program = fc
  .array(fc.tuple(fc.constantFrom(...statements), fc.constantFrom(...separators)), { maxLength: 8 })
  .map((parts) => parts.flat().join(""));

/** One of the features, with line ends and comments between its words. */
const spread = fc
  .tuple(fc.constantFrom(...features), fc.infiniteStream(fc.constantFrom(...separators.slice(1, 4), "", "", "", "")))
  .map(([{ setup, result }, gaps]) => {
    const source = `${setup};\n${result}`;
    const { tokens } = parse(source, { sourceType: "module", plugins: ["typescript"], tokens: true });
    const places = (tokens ?? []).filter((token: any) => /^(name|[^`]{1,2})$/.test(token.type.label ?? ""));
    const cuts = [...places.map(({ start }: any) => start), source.length];
    return (
      source.slice(0, cuts[0]) +
      cuts
        .slice(1)
        .map((end, index) => source.slice(cuts[index], end) + gaps.next().value)
        .join("")
    );
  });

test.each([
  ["pieces of programs", program],
  ["programs with line ends anywhere", spread],
])("%s", (_, sources) => {
  let count = 0;
  fc.assert(
    fc.property(sources, (source) => {
      const compiled = compileProgram(source, { functions });
      if (!compiled.ok) {
        expect(compiled.problems.length).toBeGreaterThan(0);
        for (const { line, column, message } of compiled.problems) {
          expect(line).toBeGreaterThan(0);
          expect(column).toBeGreaterThan(0);
          expect(message).not.toMatch(/plugin|babel|undefined|\(\d+:/i);
        }
        return;
      }
      count++;
      const { program } = compiled;
      new Script(program.code);
      const lines = program.source.split("\n");
      expect(program.code.split("\n").length).toBeGreaterThan(lines.length);
      lines.forEach((text, index) => {
        expect(program.place(index + 1, 100_000)).toMatchObject({ line: index + 1 });
        expect(program.isDetached(index + 1, text.length + 1)).toBeTypeOf("boolean");
      });
    }),
    { numRuns: 400 },
  );
  expect(count).toBeGreaterThan(50);
});
