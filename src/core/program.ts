/** Programs that a model writes: what the mode that drives them, and the VM in which they run, agree on. */
import type { Json } from "../base/json.ts";

/** Where a model's program runs. It reaches nothing but the functions that it is given. */
export interface ProgramVm {
  open(options: ProgramSessionOptions): Promise<ProgramSession>;
  /** Ends what waits for the next session. Sessions that are open go on. */
  close(): Promise<void>;
}

export interface ProgramSessionOptions {
  limits?: Partial<ProgramLimits>;
  /** The program assigns to a property of an object. It stands still until this has answered. */
  write?(write: ProgramWrite): WriteAnswer | Promise<WriteAnswer>;
}

/** For one program each, but for `memoryMb`, which is for all that a session keeps. */
export interface ProgramLimits {
  /** Milliseconds of computing; waiting for calls and timers does not count. Default 5,000. */
  cpuMs: number;
  /** Milliseconds from start to end, waiting included. Default: none. Kept by the mode. */
  wallMs: number;
  /** Default 64. */
  memoryMb: number;
  /** Default 512. */
  stackKb: number;
  /** As many timers, and as many assignments to properties. Default 10,000. */
  calls: number;
  /** Bytes of one call's encoded input; eight times as much for all calls that have not ended. Default 4 MiB. */
  argumentBytes: number;
  /** Bytes of one call's encoded output, and of what a program returns. Default 4 MiB. */
  resultBytes: number;
  /** Bytes of all that one program prints. Default 64 KiB; the rest is dropped, and said so. */
  logBytes: number;
}

/**
 * A VM of one run. Turn after turn: `start` and `settle` give what the program did until it had to wait. The same input
 * and the same settlements in the same order give the same turns, in any process.
 */
export interface ProgramSession {
  /** What earlier programs left at their top level is there. */
  start(program: ProgramInput): Promise<Turn>;
  /** Each in this order, followed by everything that it sets off. */
  settle(settlements: readonly Settlement[], options?: { isReplay?: boolean }): Promise<Turn>;
  /** The program goes no further and never learns of it. What stands at its top level stays. */
  leave(): Promise<void>;
  /** Stops what is computing, within 100 ms: the turn that is waited for ends with `done: { type: "aborted" }`. */
  abort(): void;
  close(): void;
}

export interface ProgramInput {
  /** TypeScript, as the model wrote it. */
  code: string;
  /** 32 hex digits: where random numbers come from. */
  seed: string;
  /** Milliseconds since 1970: the clock, until something settles. */
  now: number;
  /** Dotted paths (`search`, `Orders.cancel`): functions of one argument that give a promise. */
  functions: readonly string[];
  objects?: readonly ProgramObject[];
  /** A replay has the same limits, but on its own account. */
  isReplay?: boolean;
}

export interface ProgramObject {
  name: string;
  properties: readonly { name: string; value: Json | undefined; writable: boolean }[];
}

/** What happened until the program had to wait. */
export interface Turn {
  calls: readonly ProgramCall[];
  timers: readonly { id: number; delayMs: number }[];
  prints: readonly Print[];
  done?: ProgramDone;
  /** When it is done: rejections that nobody handled, un-awaited calls' included. */
  unhandled?: readonly ProgramError[];
  /** When it is done: the kept top-level names of all programs, with a word on each: `Array(12)`, `function`, `number`. */
  bindings?: readonly { name: string; kind: string }[];
}

export interface ProgramCall {
  /** From 1, in the order in which the program makes its calls. */
  id: number;
  /** A path of `functions`. */
  name: string;
  /** Encoded (base/codec.ts). Left out when the program gave no argument. */
  input?: Json;
  /** In the program as the model wrote it, from 1. */
  line: number;
  column: number;
  /** Written so that nobody waits for it (`void call()`): it is waited for at the end, and its error is reported. */
  isDetached: boolean;
}

/** Values are encoded (base/codec.ts); what cannot be is told in words. */
export interface Print {
  level: "log" | "info" | "warn" | "error" | "debug";
  values: readonly Json[];
}

/** `at`: milliseconds since 1970, where the program's clock stands from then on. */
export type Settlement = { at: number } & (
  | { id: number; ok: true; output: Json | undefined }
  | { id: number; ok: false; error: ThrownError }
  | { timer: number }
);

/** An error on its way into a program: rebuilt there by class name, with these properties. */
export interface ThrownError {
  /** Default "Error". */
  name?: string;
  message: string;
  code?: string | number;
  /** Encoded. */
  data?: Json;
  /** Encoded. */
  cause?: Json;
}

export type ProgramDone =
  /** `value` encoded as far as it can be, the rest told in words, unless it is larger than `resultBytes`: then its size. */
  | { type: "returned"; value?: Json; size?: number }
  /** `return exit("name", value)`: exactly encoded. */
  | { type: "exit"; exit: string; value?: Json }
  | { type: "threw"; error: ProgramError }
  /** It cannot be run, and nothing of it has: syntax, `import`, calls that were not awaited. */
  | { type: "invalid"; problems: readonly ProgramProblem[] }
  /** What it did to variables is void: whoever goes on opens another session, and replays what came before. */
  | { type: "limit"; limit: keyof ProgramLimits; message: string }
  | { type: "aborted" }
  /** A settlement was of no call that it has made. */
  | { type: "diverged"; message: string }
  /** The VM is gone, with all variables, by no fault of the program. */
  | { type: "lost"; message: string };

export interface ProgramError extends ThrownError {
  name: string;
  /** Innermost first, only frames of the program itself. */
  frames: readonly { name?: string; line: number; column: number }[];
  /** The lines around the place, with a mark. */
  excerpt?: string;
}

export interface ProgramProblem {
  /** From 1. */
  line: number;
  column: number;
  message: string;
  excerpt?: string;
}

export interface ProgramWrite {
  object: string;
  property: string;
  /** Encoded. */
  value: Json | undefined;
}

export type WriteAnswer = { ok: true; value: Json | undefined } | { ok: false; message: string };

/** Looks at a program before it runs. */
export interface ProgramChecker {
  /** What is wrong with it; nothing where it is right. @throws when it cannot tell */
  check(program: CheckInput): Promise<readonly ProgramProblem[]>;
  close(): void;
}

export interface CheckInput {
  code: string;
  /** What the model was shown: declarations of functions, namespaces, `exit` and types. */
  declarations: string;
  /** The programs of the run before this one, oldest first, whose top level is kept. */
  earlier: readonly string[];
}
