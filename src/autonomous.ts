/** The namespace of the seeds' names. */
export { DefaultExit, Exit, ListenExit, ThinkExit } from "./core/exit.ts";
export type { ExitResult, Hooks, Iteration, IterationController } from "./core/hooks.ts";
export type { Trace } from "./core/log.ts";
export type { Model } from "./core/model.ts";
export { ObjectInstance as Object } from "./core/object.ts";
export type { ExecuteResult } from "./core/result.ts";
export { SnapshotSignal, ThinkSignal } from "./core/signals.ts";
export { Tool } from "./core/tool.ts";
