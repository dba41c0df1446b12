/** Short words for the engine's tests. */
import type { Entry, EntryOf } from "../../src/core/log.ts";
import type { ToolDefinition } from "../../src/core/tool-definition.ts";
import {
  type ExecuteResult,
  execute,
  type LanguageModel,
  type Message,
  type PendingCall,
  type RunEvent,
  type Snapshot,
  Tool,
} from "../../src/index.ts";
import { type ScriptedStep, scriptedModel } from "../../src/testing/index.ts";

export { execute, scriptedModel };

export function tool(
  name: string,
  handler: ToolDefinition["handler"],
  more: Partial<ToolDefinition> = {},
): Tool<any, any, any> {
  return new Tool({ name, handler, ...more });
}

/** One answer that asks for these calls: a name, or a name and its input. */
export function asks(
  ...calls: (string | [name: string, input: unknown] | { id: string; name: string })[]
): ScriptedStep {
  return {
    toolCalls: calls.map((call) =>
      typeof call === "string" ? { name: call } : Array.isArray(call) ? { name: call[0], input: call[1] } : call,
    ),
  };
}

export interface Gate {
  open(): void;
  readonly passed: Promise<void>;
}

export function gate(): Gate {
  let open!: () => void;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, passed };
}

/** Says that it was reached, and never comes back. */
export function hangs(reached: Gate): () => Promise<never> {
  return () => {
    reached.open();
    return never;
  };
}

/** Notes a value and gives one. */
export function noting<T, R>(list: T[], give: (value: T) => R): (value: T) => R {
  return (value) => {
    list.push(value);
    return give(value);
  };
}

export const never = new Promise<never>(() => {});

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Watches a run to its end. */
export async function watched(run: AsyncIterable<RunEvent> & PromiseLike<ExecuteResult>) {
  const events: RunEvent[] = [];
  for await (const event of run) events.push(event);
  return { events, result: await run };
}

/** What a run waits for; an error when it does not wait. */
export function waiting(result: ExecuteResult): { run: string; pending: readonly PendingCall[]; snapshot: Snapshot } {
  if (result.isInterrupted()) return result;
  throw new Error(`The run does not wait: ${JSON.stringify(result)}`);
}

export function ofType<T extends Entry["type"]>(entries: readonly { type: string }[], type: T): EntryOf<T>[] {
  return entries.filter((entry) => entry.type === type) as EntryOf<T>[];
}

/** The results that a conversation has, by the provider's id of the call: what the model read, and of what kind. */
export function results(messages: readonly Message[] | readonly any[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { role, content } of messages as any[]) {
    if (role !== "tool") continue;
    for (const { toolCallId, output } of content)
      found[toolCallId] = output.type === "error-text" ? `! ${output.value}` : output.value;
  }
  return found;
}

/** What providers demand: every call has one result, in the message after it, and no result is without its call. */
export function faults(messages: readonly any[]): string[] {
  const found: string[] = [];
  for (const [index, { role, content }] of messages.entries()) {
    if (role === "assistant") {
      const asked = content.filter((part: any) => part.type === "tool-call");
      const next = messages[index + 1];
      const answers = next?.role === "tool" ? next.content : [];
      const list = (parts: any[]) => JSON.stringify(parts.map((part) => [part.toolCallId, part.toolName]).sort());
      if (list(asked) !== list(answers)) found.push(`${list(asked)} was answered by ${list(answers)}`);
    } else if (role === "tool" && messages[index - 1]?.role !== "assistant") {
      found.push("results without a call before them");
    }
  }
  return found;
}

/** A model with one script, and the text of its n-th request. */
export function requestText(model: LanguageModel & { requests: any[] }, number: number): string {
  return JSON.stringify(model.requests[number]!.prompt);
}
