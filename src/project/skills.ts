/** Lists a project's skills, `.agents/skills/<folder>/SKILL.md`: their headers only, an agent reads the rest when it needs it. */
import { codeOf, messageOf } from "../base/errors.ts";
import type { SandboxFiles } from "../core/sandbox.ts";
import { readFrontMatter } from "./front-matter.ts";

const FOLDER = ".agents/skills";
/** Bytes of a SKILL.md in which its header must end. */
const HEADER_BYTES = 16 * 1024;
const MAX_SKILLS = 100;
const MAX_DESCRIPTION = 1024;

export interface Skill {
  /** From the header, else the folder's name. */
  name: string;
  /** Relative to the sandbox's cwd. */
  path: string;
  /** One line; "" when there is none. */
  description: string;
}

/** In order of their folders' names. What cannot be read becomes a note. */
export async function readSkills(files: SandboxFiles, notes: string[]): Promise<Skill[]> {
  const folders = await listFolders(files, notes);
  const skills: Skill[] = [];
  for (const folder of folders) {
    if (skills.length === MAX_SKILLS) {
      notes.push(`There are more than ${MAX_SKILLS} skills: the others are not listed.`);
      break;
    }
    const skill = await readSkill(files, folder, notes);
    if (skill) skills.push(skill);
  }
  return skills;
}

async function listFolders(files: SandboxFiles, notes: string[]): Promise<string[]> {
  try {
    const entries = await files.list(FOLDER);
    return entries.filter(({ type }) => type === "dir" || type === "symlink").map(({ name }) => name);
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT") notes.push(`${FOLDER} was left out: ${messageOf(thrown)}`);
    return [];
  }
}

async function readSkill(files: SandboxFiles, folder: string, notes: string[]): Promise<Skill | undefined> {
  const path = `${FOLDER}/${folder}/SKILL.md`;
  let text: string;
  try {
    text = new TextDecoder().decode(await files.readFile(path, { length: HEADER_BYTES }));
  } catch (thrown) {
    const absent = ["ENOENT", "ENOTDIR"].includes(codeOf(thrown) ?? "");
    if (!absent) notes.push(`${path} was left out: ${messageOf(thrown)}`);
    return undefined;
  }
  try {
    const { name, description } = await readFrontMatter(text);
    return { name: oneLine(name) || folder, path, description: shortened(oneLine(description), path, notes) };
  } catch (thrown) {
    notes.push(`${path} is listed without its description: ${messageOf(thrown).split("\n", 1)[0]}`);
    return { name: folder, path, description: "" };
  }
}

/** A name or a description is one line of a list, however it was written. */
function oneLine(value: unknown): string {
  if (typeof value !== "string" && typeof value !== "number") return "";
  return String(value).replace(/\s+/g, " ").trim();
}

function shortened(description: string, path: string, notes: string[]): string {
  if (description.length <= MAX_DESCRIPTION) return description;
  notes.push(`The description of ${path} is long: its first ${MAX_DESCRIPTION} characters are listed.`);
  return `${description.slice(0, MAX_DESCRIPTION).trimEnd()}…`;
}
