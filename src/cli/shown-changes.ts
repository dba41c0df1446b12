/** Files that an overlay holds back, as they may be shown and kept: without the secrets of the run that wrote them. */
import type { ExecuteResult } from "../core/result.ts";
import type { FileChange } from "../core/sandbox.ts";

/** The same files when there is nothing in them to take out. Bytes that are no text stay: they are not shown. */
export function shownChanges(files: readonly FileChange[], result: ExecuteResult | undefined): readonly FileChange[] {
  if (!result) return files;
  return files.map((file) => {
    const path = result.redact(file.path);
    const [before, after] = [shownBytes(file.before, result), shownBytes(file.after, result)];
    const isSame = path === file.path && before === file.before && after === file.after;
    return isSame ? file : { ...file, path, before, after };
  });
}

function shownBytes(bytes: Uint8Array | null, result: ExecuteResult): Uint8Array | null {
  if (bytes === null || bytes.includes(0)) return bytes;
  const text = Buffer.from(bytes).toString();
  const shown = result.redact(text);
  return shown === text ? bytes : Buffer.from(shown);
}
