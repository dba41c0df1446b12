/** What TypeScript's own library declares of the guest's world: the language, without browser and threads. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What the guest does not have, and what no program there may use. */
const left = /^(decorators|.*\.(sharedmemory|weakref|decorators))/;

/** @param folder of the `lib.*.d.ts` */
export function readLibFiles(folder: string): { name: string; text: string }[] {
  const seen = new Set<string>();
  const files: { name: string; text: string }[] = [];
  const add = (lib: string) => {
    const path = join(folder, `lib.${lib}.d.ts`);
    if (seen.has(lib) || left.test(lib) || !existsSync(path)) return;
    seen.add(lib);
    const text = readFileSync(path, "utf8");
    for (const [, reference] of text.matchAll(/^\/\/\/ <reference lib="([^"]+)"/gm)) add(reference!);
    files.push({ name: `/lib.${lib}.d.ts`, text: withGroups(text) });
  };
  // Newer than es2023: the engine is ahead of the yearly editions.
  add("esnext");
  return files;
}

/** Who reads `match.groups.year` has written a group of that name. */
function withGroups(text: string): string {
  return text.replace(/\bgroups\?: \{/g, "groups: {");
}
