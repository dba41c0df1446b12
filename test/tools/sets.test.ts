/** The sets, and what every built-in tool promises. */
import { describe, expect, test } from "vitest";
import { Tool } from "../../src/core/tool.ts";
import { virtual } from "../../src/sandbox/virtual/index.ts";
import {
  Bash,
  Command,
  codingTools,
  Edit,
  Glob,
  Grep,
  Read,
  readOnlyTools,
  searchTools,
  Write,
} from "../../src/tools/index.ts";

test("the sets, in order, each time a new array", () => {
  expect(codingTools()).toEqual([Read, Bash, Edit, Write]);
  expect(readOnlyTools()).toEqual([Read, Bash]);
  expect(searchTools()).toEqual([Glob, Grep]);
  expect(codingTools()).not.toBe(codingTools());
});

const git = Command.withOptions({ command: "git" });

describe.each([Read, Write, Edit, Bash, git, Glob, Grep].map((tool) => [tool.name, tool] as const))(
  "%s",
  (name, tool: Tool) => {
    test("is a tool that works in a sandbox and changes what it says", () => {
      expect(Tool.is(tool)).toBe(true);
      expect(tool.definition.sandbox).toBe(true);
      expect(Boolean(tool.definition.readOnly)).toBe(["Read", "Glob", "Grep"].includes(name));
      expect(tool.definition.idempotent).toBeUndefined();
    });

    test("says in a schema of an object what it takes, and all that is required is there", () => {
      const { type, properties, required } = tool.inputSchema;
      expect(type).toBe("object");
      for (const key of required) expect(Object.keys(properties)).toContain(key);
    });

    test("needs few words", async () => {
      const sandbox = await virtual();
      try {
        const spec = { name, description: tool.description, parameters: tool.inputSchema };
        expect(JSON.stringify(spec).length).toBeLessThan(1200);
        expect(tool.describe({ sandbox })).toBe(tool.describe({ sandbox }));
      } finally {
        await sandbox.dispose();
      }
    });

    test("static values are hidden from the model and checked", () => {
      const key = tool.inputSchema.required[0];
      const value = key === "args" ? ["status"] : "given";
      const fixed = tool.with({ staticInputValues: { [key]: value } });
      expect(Object.keys(fixed.inputSchema.properties)).not.toContain(key);
      expect(() => tool.with({ staticInputValues: { [key]: 5 } })).toThrow(/static/i);
    });
  },
);
