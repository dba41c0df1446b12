/** The hook that is told of every event. */
import { messageOf } from "../base/errors.ts";
import type { Logger } from "../core/context.ts";
import type { ExecuteOptions } from "../core/execute.ts";
import type { RunEvent } from "../core/log.ts";

/** `onTrace` can neither change nor fail the run, whether it throws at once or later. */
export function traceHook({ hooks }: ExecuteOptions, logger: Logger): ((event: RunEvent) => void) | undefined {
  const { onTrace } = hooks ?? {};
  if (!onTrace) return undefined;
  const warn = (error: unknown) => logger.warn(`onTrace threw: ${messageOf(error)}`);
  return (event) => {
    try {
      const given: unknown = onTrace({ trace: event, iteration: Number(event.key.split("/")[1] ?? 0) });
      if (given instanceof Promise) given.catch(warn);
    } catch (error) {
      warn(error);
    }
  };
}
