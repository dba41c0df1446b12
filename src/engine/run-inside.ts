/** What a run knows of the run around it, when it is a part of one of its calls. */
import type { ExecuteOptions } from "../core/execute.ts";
import type { Entry } from "../core/log.ts";
import type { OpenSecrets } from "../core/secrets.ts";
import type { Judge } from "./policy/policy.ts";
import type { BranchSettings, Recorder } from "./record.ts";
import type { Watchers } from "./watchers.ts";

export interface RunAround {
  /** Of the call, and so of the run inside it. */
  readonly id: string;
  /** What the log has of it already. */
  readonly past: readonly Entry[];
  /** How many runs are around it, and how many may be around any below it. */
  readonly depth: number;
  readonly maxDepth: number;
  readonly watchers: Watchers;
  open(settings: BranchSettings): Recorder;
  /** What it has of its own, within what it is handed down. */
  secrets(own: OpenSecrets | undefined, hasSources: boolean): OpenSecrets | undefined;
  policy(own: Judge | undefined): Judge | undefined;
}

/** Where options carry it: nobody outside the engine can say it. */
const around: unique symbol = Symbol("haft.around");

export function inside<T extends object>(options: T, run: RunAround): T {
  return { ...options, [around]: run };
}

/** Undefined for a run of its own. */
export function runAround(options: object | undefined | null): RunAround | undefined {
  return (options as { [around]?: RunAround } | undefined | null)?.[around];
}

/** How many runs are around this one. */
export function depthOf(options: ExecuteOptions): number {
  return runAround(options)?.depth ?? 0;
}

const DEEPEST = 3;

/** How many runs may be around one below this run: what is around it has said so, or it says less. */
export function deepest(options: ExecuteOptions): number {
  const { depth } = options.subagentLimits ?? {};
  const around = runAround(options);
  if (!around) return depth ?? DEEPEST;
  return depth === undefined ? around.maxDepth : Math.min(around.maxDepth, around.depth + depth);
}
