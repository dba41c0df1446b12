/** Finds a program the way a shell would, in the environment that it will run in. */
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { resolve } from "node:path";

export const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

/** The absolute path of `name`, or undefined. A name with a slash is relative to `cwd`; any other is looked up in `path`. */
export async function findProgram(name: string, cwd: string, path = DEFAULT_PATH): Promise<string | undefined> {
  const places = name.includes("/") ? [cwd] : path.split(":").map((folder) => resolve(cwd, folder));
  for (const place of places) {
    const candidate = resolve(place, name);
    if (await isProgram(candidate)) return candidate;
  }
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
