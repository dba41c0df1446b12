/** What the loop itself saw of a failed call. Why it failed, and what may help, is read when a call has failed: failure.ts. */
import type { Usage } from "../../core/model.ts";

/** What the loop itself saw of a call. The same call may work another time. */
export class CallFault extends Error {
  readonly code: string;
  readonly hint: string | undefined;
  /** What the call used, where the provider told it. */
  usage: Usage | undefined;
  constructor(code: string, message: string, hint?: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

/** An answer that had begun and failed: one of its parts is an error, or its stream cannot be read further. */
export class BrokenAnswer extends Error {
  readonly reason: unknown;
  constructor(reason: unknown) {
    super("the answer broke off");
    this.reason = reason;
  }
}

/** A login page has status 200, and would be an answer without words. @throws CallFault */
export function refuseWebPage(headers: Record<string, string> | undefined): void {
  if (!headers?.["content-type"]?.startsWith("text/html")) return;
  throw new CallFault("MODEL_UNAVAILABLE", "a web page came instead of an answer", webPageHint);
}

export const webPageHint = "Look at the base URL, and at a proxy or a login page between here and the provider.";
