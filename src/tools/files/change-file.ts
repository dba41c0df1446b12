/** Writes a file that a tool has looked at, unless someone else changed it in between. */
import { codeOf } from "../../base/errors.ts";
import type { FileStat, SandboxAccess } from "../../core/sandbox.ts";
import { fileChanged, SeenFiles } from "./seen-files.ts";

/**
 * `looked` is what `stat` said when the file was read, undefined when there was none. What was written counts as seen.
 *
 * @throws HaftError `FILE_CHANGED`, and what the sandbox says.
 */
export async function changeFile(
  sandbox: SandboxAccess,
  path: string,
  looked: FileStat | undefined,
  content: Uint8Array,
): Promise<void> {
  const ifMatch = looked ? { mtimeMs: looked.mtimeMs, size: looked.size } : ("absent" as const);
  try {
    await sandbox.writeFile(path, content, { ifMatch });
  } catch (error) {
    const code = codeOf(error);
    if (code === "ESTALE" || (code === "EEXIST" && !looked)) throw fileChanged(path, error);
    throw error;
  }
  SeenFiles.of(sandbox).remember(path, await sandbox.stat(path), content);
}
