/** Saves a long output inside the sandbox, where Read and Grep can go through it. */
import { posix } from "node:path";
import { messageOf } from "../../base/errors.ts";
import type { SandboxAccess } from "../../core/sandbox.ts";

/** The first that can be written to. Where `/tmp` is the machine's, not the sandbox's, its files are out of reach. */
const FOLDERS = ["/tmp/haft-output", ".haft/output"] as const;
const MAX_FILES = 20;

export type Saved = { path: string } | { problem: string };

/** Keeps the newest twenty. Git and searches do not see them. */
export async function saveOutput(sandbox: SandboxAccess, callId: string, content: Uint8Array): Promise<Saved> {
  let problem = "";
  for (const folder of FOLDERS) {
    const path = `${folder}/${callId.replace(/[^\w.-]+/g, "-")}.log`;
    try {
      await sandbox.writeFile(path, content);
    } catch (error) {
      problem = messageOf(error);
      continue;
    }
    await tidy(sandbox, folder, path).catch(() => {}); // the output is saved, whatever becomes of older ones
    return { path };
  }
  return { problem };
}

async function tidy(sandbox: SandboxAccess, folder: string, newest: string): Promise<void> {
  const ignoreFile = posix.join(folder, ".gitignore");
  const entries = await sandbox.list(folder);
  if (!entries.some(({ name }) => name === ".gitignore"))
    await sandbox.writeFile(ignoreFile, new TextEncoder().encode("*\n"));

  const logs = entries
    .filter(({ name, type }) => type === "file" && name.endsWith(".log"))
    .map(({ name }) => posix.join(folder, name));
  if (logs.length <= MAX_FILES) return;
  const dated = await Promise.all(logs.map(async (path) => ({ path, mtimeMs: (await sandbox.stat(path)).mtimeMs })));
  dated.sort((a, b) => b.mtimeMs - a.mtimeMs);
  for (const { path } of dated.slice(MAX_FILES)) if (path !== newest) await sandbox.remove(path);
}
