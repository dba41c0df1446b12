/** Finds the files below a folder: `.git` never, `.gitignore` respected, links never followed. */

import type { DirEntry } from "../../core/sandbox.ts";
import { IgnoreRules } from "./ignore-rules.ts";
import type { Pace } from "./pace.ts";
import { below, byPath, join } from "./paths.ts";
import { CONCURRENCY, MAX_PATH_BYTES, type SearchContext, type SearchFs } from "./search-fs.ts";

interface Folder {
  path: string;
  rules: IgnoreRules;
}

export interface WalkOptions {
  /** Keep this file? The path is relative to the start. */
  accept(path: string): boolean;
  /** Look below this folder? */
  enter(folder: string): boolean;
  pace: Pace;
}

/** The accepted files, relative to `start`, sorted. Stops early, with what it has, when the pace is late. */
export async function walkFiles(
  fs: SearchFs,
  start: string,
  context: SearchContext,
  options: WalkOptions,
): Promise<string[]> {
  const found: string[] = [];
  if (isInGitFolder(start)) return found;
  const open: Folder[] = [{ path: start, rules: await rulesAbove(fs, start, context) }];
  while (open.length > 0 && !options.pace.late) {
    const batch = open.splice(-CONCURRENCY);
    const listings = await Promise.all(batch.map((folder) => listFolder(fs, folder)));
    for (const { path, rules, entries } of listings) {
      await options.pace.rest();
      for (const entry of entries) visit(path, rules, entry);
    }
  }
  return found.sort(byPath);

  function visit(folder: string, rules: IgnoreRules, entry: DirEntry): void {
    const path = join(folder, entry.name);
    const relative = below(start, path)!;
    if (entry.type === "dir") {
      if (entry.name === ".git" || Buffer.byteLength(path) > MAX_PATH_BYTES) return;
      if (options.enter(relative) && !rules.ignores(path, true)) open.push({ path, rules: rules.inside(path) });
    } else if (entry.type === "file" && options.accept(relative) && !rules.ignores(path, false)) {
      found.push(relative);
    }
  }
}

/** A folder that cannot be listed (gone by now, not permitted) has no files. */
async function listFolder(fs: SearchFs, { path, rules }: Folder): Promise<Folder & { entries: DirEntry[] }> {
  const entries = await fs.list(path).catch(() => []);
  const hasRules = entries.some((entry) => entry.name === ".gitignore" && entry.type === "file");
  return { path, entries, rules: hasRules ? await readRules(fs, path, rules) : rules };
}

async function readRules(fs: SearchFs, folder: string, rules: IgnoreRules): Promise<IgnoreRules> {
  const bytes = await fs.readFile(join(folder, ".gitignore")).catch(() => undefined);
  return bytes ? rules.with(folder, new TextDecoder().decode(bytes)) : rules;
}

/** Whoever names an ignored folder wants to see it: then the rules above it do not count. */
async function rulesAbove(fs: SearchFs, start: string, context: SearchContext): Promise<IgnoreRules> {
  const names = below(context.cwd, start)?.split("/").filter(Boolean) ?? [];
  let rules = IgnoreRules.none;
  let folder = context.cwd;
  for (const name of names) {
    rules = await readRules(fs, folder, rules);
    folder = join(folder, name);
    if (rules.ignores(folder, true)) return IgnoreRules.none;
    rules = rules.inside(folder);
  }
  return rules;
}

function isInGitFolder(path: string): boolean {
  return path.split("/").includes(".git");
}
