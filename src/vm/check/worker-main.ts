/** The worker of the type check, a thread: answers one program after the other, with TypeScript loaded and warm. */
import { parentPort } from "node:worker_threads";
import { HaftError } from "../../base/errors.ts";
import type { CheckInput } from "../../core/program.ts";
import { checkProgram } from "./check-program.ts";
import type { CheckAnswer } from "./check-worker.ts";

// So that the first program finds the library parsed.
checkProgram({ code: "[1].map(String)", declarations: "", earlier: [] });

parentPort?.on("message", (program: CheckInput) => parentPort?.postMessage(answer(program)));

/** An error that is not ours may have left TypeScript in any state: it ends the thread. */
function answer(program: CheckInput): CheckAnswer {
  try {
    return { problems: checkProgram(program) };
  } catch (thrown) {
    if (!HaftError.is(thrown)) throw thrown;
    return { failed: thrown.message };
  }
}
