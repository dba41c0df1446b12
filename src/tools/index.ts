/** `haft/tools`: the built-in tools, which work on the files and processes of a run's sandbox. */

export { Bash } from "./commands/bash.ts";
export { Command, CommandTool } from "./commands/command.ts";
export type { CommandOptions } from "./commands/command-options.ts";
export type {
  ArgsCheck,
  ArgsPlace,
  ArgsPolicy,
  ArgsRules,
  OptionRule,
  ReadArguments,
  ValueRule,
} from "./commands/grants/argument-rules.ts";
export type { NarrowedGrant } from "./commands/grants/narrow.ts";
export type { NetworkGrant } from "./commands/grants/network.ts";
export { Edit } from "./edit/edit.ts";
export { Read, type ReadImage } from "./read/read.ts";
export { Glob } from "./search/glob.ts";
export { Grep } from "./search/grep.ts";
export { codingTools, readOnlyTools, searchTools } from "./sets.ts";
export { Write } from "./write/write.ts";
