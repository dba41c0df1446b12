/** Tools that go together. Each call gives a new array: add to it what you like. */
import type { Tool } from "../core/tool.ts";
import { Bash } from "./commands/bash.ts";
import { Edit } from "./edit/edit.ts";
import { Read } from "./read/read.ts";
import { Glob } from "./search/glob.ts";
import { Grep } from "./search/grep.ts";
import { Write } from "./write/write.ts";

/** Read, Bash, Edit, Write. */
export function codingTools(): Tool[] {
  return [Read, Bash, Edit, Write];
}

/** Read, Bash. What Bash may change is the sandbox's decision. */
export function readOnlyTools(): Tool[] {
  return [Read, Bash];
}

/** Glob, Grep. */
export function searchTools(): Tool[] {
  return [Glob, Grep];
}
