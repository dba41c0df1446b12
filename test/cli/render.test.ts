import { describe, expect, test } from "vitest";
import { colorsFor } from "../../src/cli/render/colors.ts";
import { patchOf, renderChange } from "../../src/cli/render/diff.ts";
import { completeBlocks, renderMarkdown } from "../../src/cli/render/markdown.ts";
import { RunView } from "../../src/cli/render/run-view.ts";
import { Screen } from "../../src/cli/render/screen.ts";
import { clean, stringWidth, truncate, wrapWith } from "../../src/cli/render/text.ts";
import type { FileChange } from "../../src/core/sandbox.ts";

const plain = colorsFor({}, {});
const bytes = (text: string) => new TextEncoder().encode(text);

describe("text", () => {
  test("loses what a terminal would obey, and nothing else", () => {
    expect(clean("a\u001b[31mb\u001b[0m\u0007\u009b2Jc\u202ed\te\r\nf\rg")).toBe("abcd  e\nf\ng");
    expect(clean("grüße 日本 👩‍👩‍👧 é")).toBe("grüße 日本 👩‍👩‍👧 é");
  });

  test("is cut by columns, not by characters", () => {
    expect(truncate("short", 10)).toBe("short");
    expect(truncate("日本語テキスト", 7)).toBe("日本語…");
    expect(stringWidth(truncate("👩‍👩‍👧".repeat(9), 8))).toBeLessThanOrEqual(8);
  });

  test("is wrapped under its label", () => {
    expect(wrapWith("one two three four five six", 20, "Label  ")).toBe("Label  one two three\n       four five six");
  });
});

describe("Markdown", () => {
  test("fits, with lists, code, quotes and tables", () => {
    const long = "word ".repeat(30);
    const text = `# T\n\n${long}\n\n- ${long}\n  1. in\n\n> ${long}\n\n\`\`\`\nkeep   this\n\`\`\`\n\n|a|b|\n|-|-:|\n|x|1|\n`;
    const drawn = renderMarkdown(text, 40, plain);
    for (const line of drawn.split("\n")) expect(stringWidth(line)).toBeLessThanOrEqual(40);
    expect(drawn).toContain("\n  keep   this\n");
    expect(drawn).toMatch(/^a {2}b$/m);
    expect(drawn).toMatch(/^│ word word/m);
  });

  test("a table that is too wide becomes a list", () => {
    const drawn = renderMarkdown(`|key|value|\n|-|-|\n|${"k".repeat(20)}|${"v ".repeat(20)}|\n`, 40, plain);
    expect(drawn).toContain("- key: kkkk");
    for (const line of drawn.split("\n")) expect(line.length).toBeLessThanOrEqual(40);
  });

  test.each([
    ["one", 0],
    ["one\ntwo\n", 0],
    ["one\n\ntwo", 5],
    ["```\na\n\nb", 0],
    ["```\na\n```\nb", 10],
    ["- a\n- b\n\n  c", 0],
  ])("of %j, %d characters are complete blocks", (text, length) => {
    expect(completeBlocks(text)).toBe(length);
  });
});

describe("changes", () => {
  const change = (type: FileChange["type"], before: string | null, after: string | null): FileChange => ({
    path: "a.txt",
    type,
    before: before === null ? null : bytes(before),
    after: after === null ? null : bytes(after),
  });

  test("of a file with CRLF are shown without its line ends", () => {
    const drawn = renderChange(change("modified", "one\r\ntwo\r\n", "one\r\n2\r\n"), plain);
    expect(drawn).toBe("modified a.txt  +1 -1\n@@ -1,2 +1,2 @@\n one\n-two\n+2");
  });

  test("that are long are cut, and say so", () => {
    const drawn = renderChange(change("created", null, "x\n".repeat(1000)), plain);
    expect(drawn.split("\n").length).toBeLessThan(320);
    expect(drawn).toContain("… 701 more lines");
  });

  test("of bytes that are not text are sizes, and not in the patch", () => {
    const binary: FileChange = { path: "b.png", type: "modified", before: bytes("a\0"), after: new Uint8Array(2048) };
    expect(renderChange(binary, plain)).toBe("modified b.png  2 B, now 2.0 KB");
    const { patch, left } = patchOf([binary, change("deleted", "x\n", null)]);
    expect(left).toEqual(["b.png"]);
    expect(patch).toContain("deleted file mode 100644\n--- a/a.txt\n+++ /dev/null\n");
  });
});

describe("a screen", () => {
  function terminal(isTTY: boolean, columns = 40) {
    let text = "";
    const out = { isTTY, columns, rows: 10, write: (part: string) => (text += part) };
    return { screen: new Screen(out, { TERM: "xterm", NO_COLOR: "1" }), text: () => text };
  }

  test("keeps live lines below what stays, and never wider than the terminal", () => {
    const { screen, text } = terminal(true);
    screen.live([{ text: "working ".repeat(9) }, { text: "two" }]);
    screen.print("stays");
    screen.live([]);
    expect(text()).toBe(
      `${"working ".repeat(9).slice(0, 38)}…\ntwo` +
        `\u001b[1A\r\u001b[Jstays\n${"working ".repeat(9).slice(0, 38)}…\ntwo` +
        "\u001b[1A\r\u001b[J",
    );
  });

  test("has no live lines where there is no terminal", () => {
    const { screen, text } = terminal(false);
    screen.live([{ text: "working" }]);
    screen.print("stays");
    expect(text()).toBe("stays\n");
  });

  test("writes nothing while a prompt has the terminal, and nothing is lost", async () => {
    const { screen, text } = terminal(true);
    await screen.hold(async () => {
      screen.print("meanwhile");
      screen.live([{ text: "working" }]);
      expect(text()).toBe("");
    });
    expect(text()).toContain("meanwhile\n");
  });

  test("shows each call of several at once with its own result", () => {
    const { screen, text } = terminal(false);
    const view = new RunView(screen, false);
    const place = (key: string) => ({ v: 2 as const, seq: 0, at: 0, key });
    for (const key of ["r/1/1", "r/1/2"]) {
      view.event({
        ...place(key),
        type: "tool-call",
        id: key,
        name: "Read",
        input: { path: key },
        hash: "",
        asked: "",
      });
      view.event({ ...place(key), type: "tool-start", name: "Read", attempt: 1 });
    }
    view.event({ ...place("r/1/2"), type: "tool-end", name: "Read", durationMs: 1, output: "second" });
    view.event({
      ...place("r/1/1"),
      type: "tool-end",
      name: "Read",
      durationMs: 1,
      error: { code: "ENOENT", message: "none" },
    });
    view.close();
    expect(text()).toBe("● Read  r/1/2\n  │ second\n  └ done, 1 ms\n\n● Read  r/1/1\n  │ none\n  └ failed, 1 ms\n\n");
  });

  test("says that an answer that broke off does not count", () => {
    const { screen, text } = terminal(true, 80);
    const view = new RunView(screen, false);
    view.event({ type: "text-delta", key: "r/1", text: "First paragraph.\n\nSecond" });
    view.event({ type: "text-reset", key: "r/1" });
    const content = [{ type: "text" as const, text: "Other words." }];
    const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
    const response = { model: "m", content, finishReason: "stop" as const, usage, durationMs: 1 };
    view.event({ v: 2, seq: 1, at: 0, key: "r/1", type: "model-response", ...response });
    view.close();
    expect(text()).toContain("First paragraph.\n");
    expect(text()).toContain("does not count");
    expect(text()).toContain("Other words.\n");
  });
});

test("colours: NO_COLOR, then FORCE_COLOR, then the terminal", () => {
  const on = (isTTY: boolean, env: Record<string, string>) => colorsFor({ isTTY }, env).isColorSupported;
  expect(on(true, {})).toBe(true);
  expect(on(true, { TERM: "dumb" })).toBe(false);
  expect(on(false, { CI: "true" })).toBe(false);
  expect(on(false, { FORCE_COLOR: "1" })).toBe(true);
  expect(on(true, { FORCE_COLOR: "0" })).toBe(false);
  expect(on(true, { NO_COLOR: "1", FORCE_COLOR: "1" })).toBe(false);
});
