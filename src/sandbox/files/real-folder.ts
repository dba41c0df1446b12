/** The folder that a sandbox is opened over, links followed. */
import { realpath, stat } from "node:fs/promises";
import { explainFileError, fileError } from "./file-error.ts";

/** @throws HaftError `ENOTDIR`, `ENOENT` and the like */
export async function realFolder(path: string): Promise<string> {
  try {
    if (!(await stat(path)).isDirectory()) throw fileError("ENOTDIR", path, { problem: "is not a folder" });
    return await realpath(path);
  } catch (thrown) {
    throw explainFileError(thrown, path);
  }
}
