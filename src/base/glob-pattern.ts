/** Glob patterns as predicates on paths. Nothing here backtracks more than one star deep, whatever the pattern. */

import { HaftError } from "./errors.ts";
import { compileSegment, type SegmentTest } from "./glob-segment.ts";

export interface GlobPattern {
  /** Does the pattern match this file? The path is relative, without a leading slash. */
  matches(path: string): boolean;
  /** Can the pattern match a file below this folder? */
  reaches(folder: string): boolean;
}

const MAX_PATTERN = 4096;
const MAX_ALTERNATIVES = 1000;
const ANY_DEPTH = "**";
type Part = SegmentTest | typeof ANY_DEPTH;

/** Throws EINVAL for a pattern with `..`, an absolute one, and one that is too large. */
export function compileGlob(pattern: string): GlobPattern {
  if (pattern === "" || pattern.includes("\0")) throw invalid("The glob pattern is empty or has a NUL character.");
  if (pattern.length > MAX_PATTERN) throw invalid(`The glob pattern is longer than ${MAX_PATTERN} characters.`);
  const alternatives = expandBraces(pattern).map(toParts);
  return {
    matches: (path) => {
      const names = path.split("/");
      return alternatives.some((parts) => matchParts(parts, names));
    },
    reaches: (folder) => {
      const names = folder.split("/");
      return alternatives.some((parts) => reachParts(parts, names));
    },
  };
}

function toParts(pattern: string): Part[] {
  if (pattern.startsWith("/")) throw invalid(`The glob pattern ${JSON.stringify(pattern)} is absolute.`);
  const segments = pattern
    .split("/")
    .filter((segment, index, all) => segment !== "." && (segment !== "" || index === all.length - 1));
  if (segments.includes("..")) throw invalid(`The glob pattern ${JSON.stringify(pattern)} has "..".`);

  // "src/" and "src/**" both stand for every file below src.
  if (segments.at(-1) === "") segments[segments.length - 1] = ANY_DEPTH;
  if (!pattern.includes("/")) segments.unshift(ANY_DEPTH);
  if (segments.at(-1) === ANY_DEPTH) segments.push("*");
  return segments.map((segment) => (segment === ANY_DEPTH ? ANY_DEPTH : compileSegment(segment)));
}

/** The usual walk for one kind of wildcard: on a mismatch, the last `**` takes one name more. */
function matchParts(parts: Part[], names: string[]): boolean {
  let part = 0;
  let name = 0;
  let lastDeep = -1;
  let lastName = 0;
  while (name < names.length) {
    const current = parts[part];
    if (current === ANY_DEPTH) {
      lastDeep = part++;
      lastName = name;
    } else if (current?.(names[name]!)) {
      part++;
      name++;
    } else if (lastDeep >= 0) {
      part = lastDeep + 1;
      name = ++lastName;
    } else {
      return false;
    }
  }
  return part === parts.length;
}

function reachParts(parts: Part[], names: string[]): boolean {
  for (let index = 0; index < names.length; index++) {
    const part = parts[index];
    if (part === ANY_DEPTH) return true;
    if (!part?.(names[index]!)) return false;
  }
  return parts.length > names.length;
}

/** `a{b,c}d` as `abd` and `acd`. Braces without a comma, or without an end, stand for themselves. */
function expandBraces(pattern: string): string[] {
  const done: string[] = [];
  const open = [pattern];
  while (open.length > 0) {
    const next = open.pop()!;
    const group = firstGroup(next);
    if (!group) done.push(next);
    else for (const option of group.options) open.push(next.slice(0, group.start) + option + next.slice(group.end));
    if (done.length + open.length > MAX_ALTERNATIVES) {
      throw invalid(`The braces of the glob pattern stand for more than ${MAX_ALTERNATIVES} patterns.`);
    }
  }
  return done;
}

function firstGroup(pattern: string): { start: number; end: number; options: string[] } | undefined {
  for (let start = 0; start < pattern.length; start++) {
    if (pattern[start] === "\\") start++;
    else if (pattern[start] === "{") {
      const group = groupAt(pattern, start);
      if (group) return group;
    }
  }
  return undefined;
}

function groupAt(pattern: string, start: number): { start: number; end: number; options: string[] } | undefined {
  const options: string[] = [];
  let depth = 0;
  let optionStart = start + 1;
  for (let index = start; index < pattern.length; index++) {
    const char = pattern[index];
    if (char === "\\") index++;
    else if (char === "{") depth++;
    else if (char === "," && depth === 1) {
      options.push(pattern.slice(optionStart, index));
      optionStart = index + 1;
    } else if (char === "}" && --depth === 0) {
      options.push(pattern.slice(optionStart, index));
      return options.length > 1 ? { start, end: index + 1, options } : undefined;
    }
  }
  return undefined;
}

function invalid(message: string): HaftError {
  return new HaftError("EINVAL", message, {
    hint: "Patterns are relative to `path`: `*.ts` at any depth, `src/**/*.ts` below src. Set `path` to search elsewhere.",
  });
}
