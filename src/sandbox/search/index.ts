/** Glob and grep over any file system of a sandbox: one meaning everywhere, and no program of the machine needed. */

export { globFiles } from "./glob.ts";
export { grepFiles } from "./grep.ts";
export type { SearchContext, SearchFs } from "./search-fs.ts";
