/** Edit, in real sandboxes. */
import { expect, test } from "vitest";
import { Bash, Edit, Read } from "../../../src/tools/index.ts";
import { contentOf, inEachSandbox, openLocal, put } from "../helpers.ts";

inEachSandbox((open) => {
  test("the answer is a diff with three lines of context", async () => {
    const sandbox = await open();
    await put(sandbox, "a.txt", Array.from({ length: 30 }, (_, index) => `line ${index + 1}\n`).join(""));
    const edits = [
      { oldText: "line 25\n", newText: "" },
      { oldText: "line 10\n", newText: "line ten\n" },
    ];
    expect(await Edit.execute({ path: "a.txt", edits }, { sandbox })).toBe(
      [
        "Edited a.txt: 2 replacements, first changed line 10",
        "@@ -7,7 +7,7 @@",
        " line 7",
        " line 8",
        " line 9",
        "-line 10",
        "+line ten",
        " line 11",
        " line 12",
        " line 13",
        "@@ -22,7 +22,6 @@",
        " line 22",
        " line 23",
        " line 24",
        "-line 25",
        " line 26",
        " line 27",
        " line 28",
      ].join("\n"),
    );
  });

  test("a BOM, CRLF and an odd last line: every other byte stays", async () => {
    const sandbox = await open();
    await put(sandbox, "a.txt", "\uFEFFone \r\ntwo\r\nthree\nfour");
    await Edit.execute(
      { path: "a.txt", edits: [{ oldText: "one \ntwo", newText: "one \n2\nand a half" }] },
      { sandbox },
    );
    expect(JSON.stringify(await contentOf(sandbox, "a.txt"))).toBe(
      JSON.stringify("\uFEFFone \r\n2\r\nand a half\r\nthree\nfour"),
    );
  });

  test("what was not exact is said", async () => {
    const sandbox = await open();
    await put(sandbox, "a.txt", "say \u201Chi\u201D\nend  \n");
    const answer = await Edit.execute(
      {
        path: "a.txt",
        edits: [
          { oldText: 'say "hi"', newText: "say hi" },
          { oldText: "end\n", newText: "End\n" },
        ],
      },
      { sandbox },
    );
    expect(answer).toContain(
      "[not exact: matched look-alike quotes, dashes or spaces; matched without blanks at line ends]",
    );
  });

  test("one edit beside the path, in either spelling, and edits as JSON text", async () => {
    const sandbox = await open();
    await put(sandbox, "a.txt", "a a b c\n");
    await Edit.execute({ path: "a.txt", old_text: "a", new_text: "A", replace_all: true }, { sandbox });
    await Edit.execute({ path: "a.txt", oldText: "b", newText: "B" }, { sandbox });
    await Edit.execute({ path: "a.txt", edits: '[{"oldText":"c","newText":"C"}]' } as never, { sandbox });
    expect(await contentOf(sandbox, "a.txt")).toBe("A A B C\n");
  });

  test("a refusal leaves the file as it is and says what to do", async () => {
    const sandbox = await open();
    await put(sandbox, "a.txt", "x\ny\nx\n");
    await expect(
      Edit.execute(
        {
          path: "a.txt",
          edits: [
            { oldText: "y", newText: "z" },
            { oldText: "x", newText: "w" },
          ],
        },
        { sandbox },
      ),
    ).rejects.toMatchObject({
      code: "EDIT_AMBIGUOUS",
      message: "Found 2 occurrences of oldText in a.txt (lines 1, 3)",
      hint: expect.stringContaining("replaceAll"),
      data: { lines: [1, 3] },
    });
    expect(await contentOf(sandbox, "a.txt")).toBe("x\ny\nx\n");
  });

  test("edits of one file at the same time are all made", async () => {
    const sandbox = await open();
    await put(sandbox, "a.txt", "0 1 2 3 4 5 6 7 8 9");
    const edit = (digit: number) =>
      Edit.execute({ path: "a.txt", edits: [{ oldText: `${digit}`, newText: `<${digit}>` }] }, { sandbox });
    await Promise.all(Array.from({ length: 10 }, (_, digit) => edit(digit)));
    expect(await contentOf(sandbox, "a.txt")).toBe("<0> <1> <2> <3> <4> <5> <6> <7> <8> <9>");
  });

  test("a file that a command changed since it was read must be read again", async () => {
    const sandbox = await open();
    await put(sandbox, "a.txt", "one\n");
    await Read.execute({ path: "a.txt" }, { sandbox });
    await Bash.execute({ command: "echo two >> a.txt" }, { sandbox });
    const edit = () => Edit.execute({ path: "a.txt", edits: [{ oldText: "one", newText: "1" }] }, { sandbox });
    await expect(edit()).rejects.toMatchObject({ code: "FILE_CHANGED" });
    await Read.execute({ path: "a.txt", limit: 1 }, { sandbox });
    await edit();
    expect(await contentOf(sandbox, "a.txt")).toBe("1\ntwo\n");
  });

  test("a file that is not there", async () => {
    const sandbox = await open();
    await put(sandbox, "readme.md", "x");
    await expect(
      Edit.execute({ path: "readme.txt", edits: [{ oldText: "x", newText: "y" }] }, { sandbox }),
    ).rejects.toMatchObject({
      code: "ENOENT",
      hint: expect.stringContaining("readme.md"),
    });
  });
});

test("mistakes in the input are told with their place", async () => {
  const sandbox = await openLocal();
  const refusal = (input: object) =>
    Edit.execute(input as never, { sandbox }).catch((error) => error.message.replace(/^.*input: /, ""));
  expect(await refusal({ path: "a" })).toBe("edits: must be an array with at least one { oldText, newText }");
  expect(await refusal({ path: "a", edits: [{ oldText: "x" }, "y"] })).toBe(
    "edits[1]: must be an object, got text; edits[0].newText: is missing: it must be text",
  );
  expect(await refusal({ path: "a", oldText: "x" })).toBe("newText: is missing: it must be text");
});
