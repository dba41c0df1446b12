/** Looks at a file before a tool works on it, and says what is near when there is none. */
import { posix } from "node:path";
import { codeOf, HaftError } from "../../base/errors.ts";
import { nearest } from "../../core/names.ts";
import type { FileStat, SandboxAccess } from "../../core/sandbox.ts";

const MAX_NEAR = 3;

/** @throws HaftError `ENOENT`, with near names; `EISDIR`; and what the sandbox says of the path. */
export async function statFile(sandbox: SandboxAccess, path: string): Promise<FileStat> {
  const stat = await statOrNothing(sandbox, path);
  if (!stat) throw await notFound(sandbox, path);
  return stat;
}

/** Undefined when there is no such file. @throws HaftError `EISDIR`, and what the sandbox says of the path. */
export async function statOrNothing(sandbox: SandboxAccess, path: string): Promise<FileStat | undefined> {
  const stat = await sandbox.stat(path).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  });
  if (stat?.type === "dir") {
    throw new HaftError("EISDIR", `${path} is a directory, not a file`, {
      hint: "List it with Glob, or with ls in Bash.",
    });
  }
  return stat;
}

async function notFound(sandbox: SandboxAccess, path: string): Promise<HaftError> {
  const folder = posix.dirname(path);
  const entries = await sandbox.list(folder).catch(() => undefined);
  if (!entries) {
    return new HaftError("ENOENT", `${path} was not found: there is no directory ${folder}`, {
      hint: "Look for it with Glob, or with ls in Bash.",
    });
  }
  const near = nearNames(
    posix.basename(path),
    entries.map(({ name }) => name),
  );
  return new HaftError("ENOENT", `${path} was not found`, {
    hint:
      near.length > 0
        ? `Near it are: ${near.map((name) => posix.join(folder, name)).join(", ")}`
        : "Look for it with Glob, or with ls in Bash.",
  });
}

function nearNames(name: string, names: readonly string[]): string[] {
  const near: string[] = [];
  let rest = names;
  while (near.length < MAX_NEAR) {
    const found = nearest(name, rest);
    if (found === undefined) break;
    near.push(found);
    rest = rest.filter((other) => other !== found);
  }
  return near;
}
