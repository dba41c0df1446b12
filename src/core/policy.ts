/** What a run allows, asks about and denies, before any tool is asked for its own opinion. */
import type { ToolContext } from "./context.ts";

type Awaitable<T> = T | Promise<T>;

/**
 * - `allow`: the call runs; its tool's own `approval` is not asked.
 * - `ask`: someone must agree, as `approvals` of the run says.
 * - `deny`: the handler is never called; the model reads the reason (`CALL_DENIED`).
 */
export type PolicyAction = "allow" | "ask" | "deny";

/**
 * One rule of a run's `policy`. It holds for a call when all that it names holds; a rule that names nothing holds for
 * every call. The first rule that holds counts; where none does, the tool's own `approval` counts.
 *
 * A rule that allows is read narrowly, and one that asks or denies widely: what cannot be told for certain is never
 * allowed by a rule, and is asked about or denied.
 */
export interface PolicyRule {
  /** The name or an alias of a tool, in any capitals; a glob: `"Bash"`, `"github_*"`, `"{Edit,Write}"`. */
  tool?: string;
  /**
   * A glob on the files that the call names: `"src/**"` (below the sandbox's cwd), `"/etc/**"`, `"*.pem"` (at any
   * depth). Holds for no call that names none, such as a call of Bash. To ask or deny, one of its files is enough, a
   * pattern also stands for everything below the folders that it matches, and capitals do not count.
   */
  path?: string;
  /**
   * On the command that the call runs: a glob, where `*` is any text, or a RegExp. A shell can hide anything: what this
   * denies is a convenience, and no boundary. To allow, all of the command must match, and no `*` stands for a
   * character that means something to a shell.
   */
  command?: string | RegExp;
  /** Anything else, asked last. `input` is the validated effective input. When it throws, the call is denied. */
  when?: (input: any, ctx: ToolContext) => Awaitable<boolean | undefined>;
  then: PolicyAction;
  /** A sentence: whoever is asked, or the model that is denied, reads it. */
  reason?: string;
}

/** What a call is about, as its tool tells it: this is what `path` and `command` of a policy look at. */
export interface CallSubject {
  /** Files that it reads or changes: absolute, or relative to the sandbox's cwd. */
  files?: readonly string[];
  /** Folders of which it reads or changes everything below. */
  folders?: readonly string[];
  /** What it runs: a text for a shell, or a program and its arguments. */
  command?: string | readonly string[];
}
