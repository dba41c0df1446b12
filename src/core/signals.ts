/** Thrown by a handler or a hook to steer the run. Not errors: nothing went wrong. */
import { hasBrand } from "../base/kinds.ts";

const brand = Symbol.for("haft.signal");

/**
 * Look at this, and think again. Calls of the batch that have not started are skipped, those in flight finish, and the
 * model is called again with `context` in front of it. Throw it; returned, it is an error that says so.
 */
export class ThinkSignal extends Error {
  readonly [brand] = "think";

  constructor(
    /** A short sentence for logs. */
    readonly reason: string,
    /** What the model shall see: text verbatim, anything else as JSON. Default: the reason. */
    readonly context: unknown = reason,
  ) {
    super(reason);
    this.name = "ThinkSignal";
  }

  static is(value: unknown): value is ThinkSignal {
    return hasBrand(value, brand, "think");
  }
}

/**
 * Stop here until someone answers. The run ends as `interrupted`; its snapshot goes on, in any process, with
 * `snapshot.resolve(callId, value)` or `snapshot.reject(callId, reason)`.
 */
export class SnapshotSignal extends Error {
  readonly [brand] = "snapshot";

  constructor(
    /** What is waited for, in a sentence. */
    readonly reason: string,
    /** Plain JSON for whoever answers. */
    readonly meta?: unknown,
  ) {
    super(reason);
    this.name = "SnapshotSignal";
  }

  static is(value: unknown): value is SnapshotSignal {
    return hasBrand(value, brand, "snapshot");
  }
}

export function isSignal(value: unknown): value is ThinkSignal | SnapshotSignal {
  return ThinkSignal.is(value) || SnapshotSignal.is(value);
}
