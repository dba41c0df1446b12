/** haft/code: programs instead of JSON calls, with options of your own. */
import { HaftError } from "../base/errors.ts";
import { describeValue } from "../base/json.ts";
import type { Mode } from "../core/mode.ts";
import type { ProgramLimits } from "../core/program.ts";
import { codeModeOf } from "../modes/code/code-mode.ts";
import { openChecker } from "./check/index.ts";
import { checkedLimits } from "./machine/limits.ts";
import { inlineVm, workerVm } from "./program-vm.ts";

export type { ProgramLimits } from "../core/program.ts";

/** All runs of a process share them: threads are few, and kept. */
const workers = workerVm();
const inline = inlineVm();

export interface CodeModeOptions {
  /**
   * Whether types are checked before a program runs, where the package `typescript` is installed. With `maxWaitMs` it runs
   * unchecked when the check takes longer, and the log says so. Default: checked, however long it takes.
   */
  typecheck?: boolean | { maxWaitMs: number };
  limits?: Partial<ProgramLimits>;
  /** `false`: programs run on the caller's own thread, which a busy one holds up. Default: in worker threads. */
  worker?: boolean;
}

/**
 * `execute({ mode: "code" })`, with other settings: `execute({ mode: codeMode({ limits: { cpuMs: 1_000 } }) })`.
 *
 * @throws HaftError `OPTIONS_INVALID`
 */
export function codeMode({ typecheck = true, limits = {}, worker = true }: CodeModeOptions = {}): Mode {
  const maxWaitMs = typeof typecheck === "object" ? checkedWait(typecheck.maxWaitMs) : undefined;
  return codeModeOf({
    vm: worker ? workers : inline,
    checker: typecheck === false ? undefined : openChecker(),
    limits: checkedLimits(limits),
    ...(maxWaitMs !== undefined && { maxWaitMs }),
  });
}

function checkedWait(maxWaitMs: unknown): number {
  if (typeof maxWaitMs === "number" && maxWaitMs >= 0) return maxWaitMs;
  const found = describeValue(maxWaitMs);
  throw new HaftError("OPTIONS_INVALID", `typecheck.maxWaitMs is ${found}, and no time in milliseconds`, {
    hint: "Give a number from 0, or leave it out to wait as long as the check takes.",
  });
}
