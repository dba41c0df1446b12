/** Reads what a project tells its agents (AGENTS.md, CLAUDE.md, skills) through the sandbox, for the instructions. */
import { codeOf, messageOf } from "../base/errors.ts";
import type { SandboxFiles } from "../core/sandbox.ts";
import { readSkills, type Skill } from "./skills.ts";

/** Bytes of one file that are taken over. */
export const MAX_FILE_BYTES = 64 * 1024;

const projectFiles = ["AGENTS.md", "CLAUDE.md"];

export interface ContextFiles {
  /** The files' texts, one after the other; "" when there are none. */
  instructions: string;
  skills: Skill[];
  /** What was read, for people: "AGENTS.md", "3 skills". */
  sources: string[];
  /** Sentences on what could not be read, or not in full. */
  notes: string[];
}

/** Never rejects: a file that cannot be read is a note. */
export async function readContextFiles(files: SandboxFiles): Promise<ContextFiles> {
  const notes: string[] = [];
  const found: { path: string; text: string }[] = [];
  for (const path of projectFiles) {
    const text = await readProjectFile(files, path, notes);
    const known = found.some((other) => other.text === text);
    if (text && !known) found.push({ path, text });
  }
  const skills = await readSkills(files, notes);
  const sources = found.map(({ path }) => path);
  if (skills.length > 0) sources.push(skills.length === 1 ? "1 skill" : `${skills.length} skills`);
  return { instructions: found.map(({ text }) => text).join("\n\n"), skills, sources, notes };
}

async function readProjectFile(files: SandboxFiles, path: string, notes: string[]): Promise<string> {
  try {
    const { size } = await files.stat(path);
    const bytes = await files.readFile(path, { length: MAX_FILE_BYTES });
    const text = cleanText(bytes);
    if (size <= bytes.length) return text.trim();

    const share = `the first ${bytes.length} of ${size} bytes`;
    notes.push(`${path} is long: ${share} are in the instructions.`);
    return `${wholeLines(text).trim()}\n\n[${path} goes on: these are ${share}. Read the file for the rest.]`;
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT") notes.push(`${path} was left out: ${messageOf(thrown)}`);
    return "";
  }
}

/** Text without BOM and with plain line ends, so that equal content is equal text. */
export function cleanText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replace(/\r\n?/g, "\n");
}

/** A cut may fall inside a line, and inside a character of it. */
function wholeLines(text: string): string {
  const end = text.lastIndexOf("\n");
  return end < 0 ? text.replace(/\uFFFD+$/, "") : text.slice(0, end);
}
