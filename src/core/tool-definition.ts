/** What `new Tool({...})` takes. */
import type { ToolContext } from "./context.ts";
import type { CallSubject } from "./policy.ts";
import type { FileChange, SandboxAccess } from "./sandbox.ts";
import type { SchemaInput, SchemaOutput } from "./schema.ts";
import type { ToolFail, ToolOk } from "./tool-result.ts";

type Awaitable<T> = T | Promise<T>;

/** What a description may depend on, beside option values. */
export interface ToolSurroundings {
  /** The run's sandbox, when it has one. */
  sandbox?: SandboxAccess;
}

/** Any part of the input, or a function that gives it when the call is made. */
export type StaticValues<T> =
  | ((ctx: ToolContext) => T)
  | (T extends readonly unknown[] ? T : T extends object ? { [K in keyof T]?: StaticValues<T[K]> } : T);

/** `ok(["a"])` is known to hold exactly that; so its lists count as fixed ones. */
type Fixed<T> = T extends (...values: never[]) => unknown
  ? T
  : T extends object
    ? { readonly [K in keyof T]: Fixed<T[K]> }
    : T;

/** `true` and "always" ask each time; a function may answer with the reason to ask, in a sentence. */
export type Approval<Input> =
  | boolean
  | "always"
  | "never"
  | ((input: Input, ctx: ToolContext) => Awaitable<boolean | string>);

export interface ToolDefinition<I = any, O = any, P = any> {
  /** A letter, then letters, digits and underscores, 50 at most. May be a function of the option values. */
  name: string | ((options: SchemaOutput<P>) => string);
  /** When and how to use it. May be a function of the option values and of what surrounds the run. */
  description?: string | ((options: SchemaOutput<P>, surroundings: ToolSurroundings) => string);
  /** What the handler gets, validated. Left out: anything. May be a function of the option values. */
  input?: I | ((options: SchemaOutput<P>) => I);
  /** What the handler gives. Left out: anything. */
  output?: O;
  /** The schema of the option values of `[tool, values]`. Defaults live there too. */
  options?: P;
  /** Gives a value, `ok(value, extras)` or `fail(reason)`; throws an error, a ThinkSignal or a SnapshotSignal. */
  handler: (
    input: SchemaOutput<I>,
    ctx: ToolContext<SchemaOutput<P>>,
  ) => Awaitable<SchemaInput<O> | ToolOk<Fixed<SchemaInput<O>>> | ToolFail>;
  /** Other names by which a model may call it. Never shown. */
  aliases?: string[];
  /** Free facts for hooks and policies. */
  metadata?: Record<string, any>;
  /** Set here, hidden from the model, and stronger than what it sends. Deep; functions are called for each call. */
  staticInputValues?: StaticValues<SchemaInput<I>>;
  /**
   * Asked after a failed attempt (from 1): true runs the handler again. Never asked for signals and invalid values.
   * Default: no retry. At most 1,000 attempts.
   */
  retry?: (failure: { input: SchemaOutput<I>; attempt: number; error: any }) => Awaitable<boolean | void>;
  /** Milliseconds that one attempt may take. Default 600,000 (ten minutes); Infinity for no limit. */
  timeoutMs?: number;
  /** Whether a person must agree before the handler runs. Default: no. */
  approval?: Approval<SchemaOutput<I>>;
  /**
   * Which files, folders and command a call is about, told from its input: what `path` and `command` of a run's
   * `policy` look at. Without it, such rules hold for no call of the tool. When it throws, the call is denied.
   */
  subject?: (input: SchemaOutput<I>, ctx: ToolContext<SchemaOutput<P>>) => CallSubject;
  /**
   * The changes of files that a call would make now, for whoever is asked to agree. It makes none itself, and may throw
   * what the handler would.
   */
  preview?: (input: SchemaOutput<I>, ctx: ToolContext<SchemaOutput<P>>) => Awaitable<readonly FileChange[]>;
  /** Changes nothing. Implies `idempotent`. */
  readOnly?: boolean;
  /** Safe to run again when a crash left its outcome unknown. */
  idempotent?: boolean;
  /** What happens when the output does not fit: "warn" (default) notes it in the log, "strict" fails the call, "off". */
  outputValidation?: "off" | "warn" | "strict";
  /** Characters of a result above which the model reads a preview; `false`: it reads all. Default: the run's `resultLimit`. */
  resultLimit?: number | false;
  /** The secrets of the run that it may use, by their names. Default: all, but for those whose own `tools` leave it out. */
  secrets?: readonly string[];
  /**
   * Parameters that are secrets: the model gives the name of one that this tool may use, the handler gets the value, and the
   * log keeps the name. Only parameters at the top of the input.
   */
  secretInput?: readonly string[];
  /** The modes in which a model is shown it. Default: all. */
  modes?: readonly ("tools" | "code")[];
  /** Says that it works on files or processes: the run opens a sandbox for it. */
  sandbox?: boolean;
}
