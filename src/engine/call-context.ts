/** What a handler is told, as this run tells it. */
import { CallContext, noSecrets } from "../core/call-context.ts";
import { type AbortSource, channel, runHost } from "../core/context.ts";
import type { HostedOptions } from "../core/execute.ts";
import type { OpenSecrets, Secrets } from "../core/secrets.ts";
import type { Tool } from "../core/tool.ts";
import type { RunningIteration } from "./iteration.ts";
import type { PastCall } from "./journal.ts";
import { logged } from "./logged-error.ts";
import type { RunState } from "./run-state.ts";

export function contextOf(
  run: RunState,
  iteration: RunningIteration,
  tool: Tool,
  callId: string,
  assigns: Record<string, unknown>,
  abort: AbortSource,
  past?: PastCall,
): CallContext {
  const { log } = run;
  const ctx = new CallContext({
    callId,
    attempt: (past?.attempts ?? 0) + 1,
    iteration: iteration.index,
    agent: run.options.agent,
    session: (run.options as HostedOptions)[runHost]?.session ?? run.options.session,
    sandbox: run.sandbox,
    cwd: run.cwd,
    secrets: run.secrets ? secretsFor(run, run.secrets, tool, callId) : noSecrets,
    options: tool.optionValues,
    assigns,
    logger: run.logger,
    progress: (text) => log.emit({ type: "tool-output", key: callId, name: tool.name, text }),
    channel: {
      abort,
      async onRetry(attempt, error) {
        run.budget?.calls(tool.name, error);
        log.emit({
          type: "retry",
          key: callId,
          what: "tool",
          name: tool.name,
          attempt,
          waitMs: 0,
          error: logged(error),
        });
        log.record(callId, { type: "tool-start", name: tool.name, attempt });
        await log.durable();
      },
    },
  });
  if (run.nesting) ctx[channel].nested = run.nesting(run, ctx, past);
  if (run.budget) ctx[channel].budget = run.budget;
  return ctx;
}

/** Those that this tool may use. That they were handed out is in the log. */
function secretsFor({ log }: RunState, secrets: OpenSecrets, { name, definition }: Tool, callId: string): Secrets {
  const told = new Set<string>(); // once a call is enough
  return secrets.secretsFor({ name, secrets: definition.secrets }, (names) => {
    const accessed = secrets.known.filter((secret) => names.includes(secret.name) && !told.has(secret.name));
    if (accessed.length === 0) return;
    for (const secret of accessed) told.add(secret.name);
    log.record(callId, { type: "secret", action: "access", secrets: accessed, tool: name });
  });
}
