/** Where a path leads when the links in it are followed. */
import { posix } from "node:path";
import type { SandboxAccess } from "../../core/sandbox.ts";

/** As many as Linux follows. */
const MOST_LINKS = 40;

/**
 * The path itself where no link is in it. What the sandbox does not let anyone look at, it does not let a tool reach
 * either: there the rest of the path stays as it is.
 */
export async function realPath(path: string, sandbox: SandboxAccess): Promise<string> {
  let at = startOf(path, sandbox.cwd);
  let rest = namesBelow(at, path);
  for (let links = 0; rest.length > 0; ) {
    const [name, ...further] = rest as [string, ...string[]];
    const target = await linkTarget(at, name, sandbox);
    if (target === undefined || links === MOST_LINKS) {
      at = posix.join(at, name);
      rest = further;
      continue;
    }
    links++;
    const lead = posix.resolve(at, target);
    at = startOf(lead, sandbox.cwd);
    rest = [...namesBelow(at, lead), ...further];
  }
  return at;
}

/** Above its cwd a sandbox may show nothing: what is below it is looked at from there. */
function startOf(path: string, cwd: string): string {
  return path === cwd || path.startsWith(cwd === "/" ? "/" : `${cwd}/`) ? cwd : "/";
}

function namesBelow(folder: string, path: string): string[] {
  return path.slice(folder.length).split("/").filter(Boolean);
}

async function linkTarget(folder: string, name: string, sandbox: SandboxAccess): Promise<string | undefined> {
  try {
    const { type } = await sandbox.stat(posix.join(folder, name), { followSymlinks: false });
    if (type !== "symlink") return undefined;
    return (await sandbox.list(folder)).find((entry) => entry.name === name)?.target;
  } catch {
    return undefined;
  }
}
