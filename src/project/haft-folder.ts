/** The folder `.haft` of a project: its sessions, and patches that wait. */
import { existsSync } from "node:fs";
import { access, constants, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

export const HAFT_FOLDER = ".haft";

/** Made when it is not there. It holds conversations, so git is told to leave it out. Rejects when it cannot be written. */
export async function haftFolder(cwd: string): Promise<string> {
  const folder = join(cwd, HAFT_FOLDER);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const ignore = join(folder, ".gitignore");
  if (!existsSync(ignore)) await writeFile(ignore, "*\n");
  await access(folder, constants.W_OK);
  return folder;
}
