/** A run inside a call: what it is handed down, and how it goes into the log of the run around. */
import type { CallContext } from "../core/call-context.ts";
import { channel, type NestedRun } from "../core/context.ts";
import type { ExecuteOptions } from "../core/execute.ts";
import type { Entry } from "../core/log.ts";
import { isIn, runOf } from "../core/log-keys.ts";
import type { ExecuteResult } from "../core/result.ts";
import type { OpenSecrets } from "../core/secrets.ts";
import { BranchLog } from "./branch-log.ts";
import { createExecute } from "./execute.ts";
import { handedDown } from "./handed-down.ts";
import type { PastCall } from "./journal.ts";
import { stricter } from "./policy/stricter.ts";
import { deepest, depthOf, inside, type RunAround } from "./run-inside.ts";
import type { RunState } from "./run-state.ts";

/** How a run makes those inside its calls. */
export type Nesting = (run: RunState, ctx: CallContext, past: PastCall | undefined) => NestedRun;

export const nestedRun: Nesting = (run, ctx, past) => new RunInCall(run, ctx, past !== undefined);

class RunInCall implements NestedRun {
  readonly depth: number;
  ended: Promise<unknown> | undefined;
  readonly #run: RunState;
  readonly #ctx: CallContext;
  /** The log may have something of it. */
  readonly #isKnown: boolean;

  constructor(run: RunState, ctx: CallContext, isKnown: boolean) {
    this.depth = depthOf(run.options) + 1;
    this.#run = run;
    this.#ctx = ctx;
    this.#isKnown = isKnown;
  }

  run(options: ExecuteOptions, more: { secrets?: readonly string[] | undefined } = {}): Promise<ExecuteResult> {
    const run = this.#run;
    const { [channel]: shared } = this.#ctx; // what a call and what it starts have in common
    const all = { ...inherited(run, options), ...options, ...approvalsOf(run, options), [channel]: shared };
    const given = inside(all, this.#around(more.secrets));
    const result = Promise.resolve(createExecute(run.rooms)(given));
    this.ended = result.catch(() => {});
    return result;
  }

  #around(names: readonly string[] | undefined): RunAround {
    const run = this.#run;
    const id = this.#ctx.callId;
    return {
      id,
      past: this.#isKnown ? pastOf(run.log.entries, id) : [],
      depth: this.depth,
      maxDepth: deepest(run.options),
      watchers: run.watchers,
      open: (settings) => new BranchLog(run.log, id, settings),
      secrets: (own: OpenSecrets | undefined, hasSources: boolean) =>
        handedDown(run.secrets, own, { names, hasSources }),
      policy: (own) => stricter(run.policy, own),
    };
  }
}

function pastOf(entries: readonly Entry[], run: string): readonly Entry[] {
  return entries.filter((entry) => isIn(run, entry.key) && runOf(entry) === run);
}

/** What it does not say itself. Options that are meant for one provider go with the model. */
function inherited({ options, sandbox }: RunState, own: ExecuteOptions): ExecuteOptions {
  const { model, providerOptions, cwd, logger, prices, modelLimits, approvalTimeoutMs } = options;
  return withoutMissing({
    cwd,
    logger,
    prices,
    modelLimits,
    approvalTimeoutMs,
    sandbox,
    ...(own.model === undefined && { model, providerOptions }),
  });
}

/** Who is asked is who the run around asks, and nothing that it denies or waits for is asked about. */
function approvalsOf({ options: { approve, approvals } }: RunState, own: ExecuteOptions): ExecuteOptions {
  const around = approvals ?? (approve ? "ask" : "interrupt");
  const ways = [around, own.approvals];
  const way = ways.includes("deny") ? "deny" : ways.includes("interrupt") ? "interrupt" : "ask";
  return way === "ask" && approve ? { approvals: way, approve } : { approvals: way };
}

function withoutMissing(options: ExecuteOptions): ExecuteOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
