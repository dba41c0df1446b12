/** The door: the type check of a model's program before it runs, where the user has TypeScript. */
import { HaftError } from "../../base/errors.ts";
import type { CheckInput, ProgramChecker, ProgramProblem } from "../../core/program.ts";
import { checkInWorker, warmUp } from "./check-worker.ts";
import { hasTypeScript } from "./find-typescript.ts";

/**
 * TypeScript begins to load at once, in a thread that all checkers of the process share.
 *
 * @returns undefined where `typescript` (5.4 to 5.9) is not installed
 */
export function openChecker(): ProgramChecker | undefined {
  if (!hasTypeScript()) return undefined;
  warmUp();
  return new Checker();
}

class Checker implements ProgramChecker {
  #isClosed = false;

  /** @throws HaftError CHECK_FAILED: it took too long, or TypeScript failed; CHECK_CLOSED */
  async check({ code, declarations, earlier }: CheckInput): Promise<readonly ProgramProblem[]> {
    if (this.#isClosed) throw new HaftError("CHECK_CLOSED", "This checker was closed. Open another.");
    return checkInWorker({ code, declarations, earlier });
  }

  /** The thread is shared: it ends when nobody has used it for a minute. */
  close(): void {
    this.#isClosed = true;
  }
}
