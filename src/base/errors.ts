/** The one error class of the house: a stable `code`, a sentence, a next step, and the original `cause`. */

const brand = Symbol.for("haft.error");

export interface HaftErrorOptions {
  /** What to do next, in one sentence. */
  hint?: string;
  /** What this error was made from. Never shown to a model. */
  cause?: unknown;
  /** Facts for a program: plain JSON, no secrets. */
  data?: Record<string, unknown>;
}

/**
 * Every error that Haft throws or reports on purpose.
 *
 * - `code` is stable, in capitals (`TOOL_INPUT_INVALID`), and has a page in `docs/errors/`.
 * - `message` says what was wrong and what was available.
 * - `hint` says what to do next.
 */
export class HaftError extends Error {
  readonly [brand] = true;
  readonly code: string;
  readonly hint: string | undefined;
  readonly data: Record<string, unknown> | undefined;

  constructor(code: string, message: string, options: HaftErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "HaftError";
    this.code = code;
    this.hint = options.hint;
    this.data = options.data;
  }

  /** True for a HaftError of any copy of this package, and of the given code when one is given. */
  static is(value: unknown, code?: string): value is HaftError {
    return (
      typeof value === "object" && value !== null && brand in value && (!code || (value as HaftError).code === code)
    );
  }

  toJSON(): { code: string; message: string; hint?: string; data?: Record<string, unknown> } {
    return {
      code: this.code,
      message: this.message,
      ...(this.hint !== undefined && { hint: this.hint }),
      ...(this.data !== undefined && { data: this.data }),
    };
  }
}

/** The sentence of anything that was thrown: never a stack, never a host-language dump. */
export function messageOf(thrown: unknown): string {
  if (typeof thrown === "string") return thrown;
  if (typeof thrown === "function") return "A function was thrown";
  try {
    const { message, name } = (thrown ?? {}) as { message?: unknown; name?: unknown };
    if (typeof message === "string" && message !== "") return message;
    if (thrown instanceof Error) return String(name);
    return JSON.stringify(thrown) ?? String(thrown);
  } catch {
    return "Something was thrown that cannot be written as text";
  }
}

/** The stable code of anything that was thrown, when it has one. */
export function codeOf(thrown: unknown): string | undefined {
  try {
    const code = (thrown as { code?: unknown } | null | undefined)?.code;
    return typeof code === "string" ? code : undefined;
  } catch {
    return undefined;
  }
}

/** What `execute()` rejects with. */
export function invalidOption(message: string, hint?: string): HaftError {
  return new HaftError("OPTIONS_INVALID", message, { hint });
}
