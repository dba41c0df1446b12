import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { ContextFiles } from "../../src/project/context-files.ts";
import { MAX_FILE_BYTES, readContextFiles } from "../../src/project/context-files.ts";
import { composeInstructions } from "../../src/project/instructions.ts";
import { local } from "../../src/sandbox/local/index.ts";
import { virtual } from "../../src/sandbox/virtual/index.ts";

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function folderWith(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "haft-context-"));
  folders.push(folder);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

async function read(folder: string): Promise<ContextFiles> {
  await using sandbox = await local({ cwd: folder });
  return readContextFiles(sandbox);
}

const skill = (folder: string) => `.agents/skills/${folder}/SKILL.md`;

describe("AGENTS.md and CLAUDE.md", () => {
  test("are joined in this order, trimmed, with a blank line between", async () => {
    const folder = await folderWith({ "CLAUDE.md": "\nSecond.\n", "AGENTS.md": "\uFEFF\n\nFirst.\r\nMore.\r\n\n" });
    expect(await read(folder)).toEqual({
      instructions: "First.\nMore.\n\nSecond.",
      skills: [],
      sources: ["AGENTS.md", "CLAUDE.md"],
      notes: [],
    });
  });

  test("of equal content are taken once: other line ends, another BOM, a link", async () => {
    const twice = await folderWith({ "AGENTS.md": "Same.\nLines.\n", "CLAUDE.md": "\uFEFFSame.\r\nLines." });
    expect((await read(twice)).instructions).toBe("Same.\nLines.");
    const linked = await folderWith({ "AGENTS.md": "Same." });
    await symlink("AGENTS.md", join(linked, "CLAUDE.md"));
    expect(await read(linked)).toMatchObject({ instructions: "Same.", sources: ["AGENTS.md"], notes: [] });
  });

  test("that are not there, or blank, are nothing", async () => {
    const nothing = { instructions: "", skills: [], sources: [], notes: [] };
    expect(await read(await folderWith({}))).toEqual(nothing);
    expect(await read(await folderWith({ "AGENTS.md": " \n", "CLAUDE.md": "" }))).toEqual(nothing);
  });

  test("that are long are cut at a line, and both the model and the user are told", async () => {
    const line = `${"ä".repeat(50)}\n`;
    const folder = await folderWith({ "AGENTS.md": line.repeat(1000) });
    const { instructions, notes } = await read(folder);
    const size = Buffer.byteLength(line) * 1000;
    expect(instructions.length).toBeLessThan(MAX_FILE_BYTES);
    expect(instructions).not.toContain("\uFFFD");
    expect(instructions).toContain(`ä\n\n[AGENTS.md goes on: these are the first ${MAX_FILE_BYTES} of ${size} bytes.`);
    expect(notes).toEqual([`AGENTS.md is long: the first ${MAX_FILE_BYTES} of ${size} bytes are in the instructions.`]);
  });

  test("that cannot be read are noted: a folder, a link out of the sandbox", async () => {
    const outside = await folderWith({ "secret.txt": "secret" });
    const folder = await folderWith({ "AGENTS.md/readme": "a folder" });
    await symlink(join(outside, "secret.txt"), join(folder, "CLAUDE.md"));
    const { instructions, notes } = await read(folder);
    expect(instructions).toBe("");
    expect(notes).toHaveLength(2);
    expect(notes[0]).toMatch(/^AGENTS\.md was left out: /);
    expect(notes[1]).toMatch(/^CLAUDE\.md was left out: /);
  });

  test("are read through any sandbox", async () => {
    const folder = await folderWith({ "AGENTS.md": "First.", [skill("a")]: "---\ndescription: A.\n---\n" });
    await using sandbox = await virtual({ cwd: folder });
    expect(await readContextFiles(sandbox)).toMatchObject({
      instructions: "First.",
      skills: [{ name: "a" }],
      notes: [],
    });
  });
});

describe("skills", () => {
  test("are listed by folder, with name, path and description; bodies are not read", async () => {
    const folder = await folderWith({
      [skill("b")]: "---\nname: Better\ndescription: Does b.\n---\nBody.",
      [skill("a")]: "No header.",
      ".agents/skills/not-a-skill/readme.md": "x",
      ".agents/skills/file.md": "x",
    });
    expect(await read(folder)).toMatchObject({
      skills: [
        { name: "a", path: skill("a"), description: "" },
        { name: "Better", path: skill("b"), description: "Does b." },
      ],
      sources: ["2 skills"],
      notes: [],
    });
  });

  test.each([
    ["folded", "description: >\n  One\n  two.\n\n  Three.", "One two. Three."],
    ["folded and stripped", "description: >-\n  One\n  two.", "One two."],
    ["literal", "description: |\n  One\n  two.", "One two."],
    ["on several lines", "description: One\n  two.", "One two."],
    ["in double quotes", 'description: "One: \\"two\\" # three"', 'One: "two" # three'],
    ["in single quotes", "description: 'It''s one.'", "It's one."],
    ["with a colon", "description: One:two", "One:two"],
    ["with a comment", "# about\ndescription: One. # not this", "One."],
    ["among other settings", "allowed:\n  - Read\ndescription: One.\nversion: 1.0", "One."],
    ["that is a number", "description: 42", "42"],
    ["that is not quite YAML", "name: x\ndescription: Use it: always, [at once", "Use it: always, [at once"],
  ])("a description %s", async (_how, header, description) => {
    for (const end of ["\n", "\r\n"]) {
      const text = `\uFEFF---\n${header}\n---\nBody.\n`.replaceAll("\n", end);
      const { skills, notes } = await read(await folderWith({ [skill("x")]: text }));
      expect({ skills, notes }).toEqual({ skills: [{ name: "x", path: skill("x"), description }], notes: [] });
    }
  });

  test("with a broken header are listed without a description, and noted", async () => {
    const { skills, notes } = await read(await folderWith({ [skill("x")]: "---\n- a\n---\n" }));
    expect(skills).toEqual([{ name: "x", path: skill("x"), description: "" }]);
    expect(notes).toEqual([
      `${skill("x")} is listed without its description: its header is not a list of names and values`,
    ]);
  });

  test("with a long description are cut, and noted", async () => {
    const folder = await folderWith({ [skill("x")]: `---\ndescription: ${"word ".repeat(500)}\n---\n` });
    const { skills, notes } = await read(folder);
    expect(skills[0]!.description.length).toBeLessThanOrEqual(1025);
    expect(skills[0]!.description.endsWith("…")).toBe(true);
    expect(notes).toHaveLength(1);
  });
});

describe("instructions", () => {
  const context: ContextFiles = {
    instructions: "Use tabs.",
    skills: [
      { name: "a", path: skill("a"), description: "Does a." },
      { name: "b", path: skill("b"), description: "" },
    ],
    sources: [],
    notes: [],
  };

  test("are the agent's own, then where it works, then the project's", async () => {
    await using sandbox = await local({ cwd: await folderWith({}) });
    const text = composeInstructions("You are mine.\n", sandbox, context) as string;
    expect(text.startsWith("You are mine.\n\n## Where You Work\n\n- The working folder is ")).toBe(true);
    expect(text).toContain(sandbox.capabilities.notes[0]);
    expect(
      text.endsWith(
        "## Project Instructions\n\nUse tabs.\n\n## Available Skills\n\n" +
          `- \`a\` (read \`${skill("a")}\` before using it) - Does a.\n- \`b\` (read \`${skill("b")}\` before using it)`,
      ),
    ).toBe(true);
  });

  test("that are a function stay one", async () => {
    await using sandbox = await local({ cwd: await folderWith({}) });
    const composed = composeInstructions(({ iteration }) => `Turn ${iteration}.`, sandbox, context);
    expect(await (composed as (ctx: any) => Promise<string>)({ iteration: 2 })).toMatch(
      /^Turn 2\.\n\n[\s\S]*Use tabs\./,
    );
  });

  test("without anything from the project have no empty sections", async () => {
    await using sandbox = await local({ cwd: await folderWith({}) });
    const empty = { instructions: "", skills: [], sources: [], notes: [] };
    for (const nothing of [undefined, empty]) {
      const text = composeInstructions(undefined, sandbox, nothing) as string;
      expect(text).toContain("You work on a user's project");
      expect(text).not.toMatch(/Project Instructions|Available Skills/);
    }
  });
});
