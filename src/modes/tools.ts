/** JSON tool calling: the model sees tools and exits as functions, and asks for calls by name. */

import { isPlainObject } from "../base/json.ts";
import type { Exit } from "../core/exit.ts";
import { findExit } from "../core/exit-value.ts";
import type { LoggedMessage } from "../core/log.ts";
import { type ToolCallPart, textOf } from "../core/message.ts";
import type {
  CallResult,
  Hands,
  IterationContext,
  Mode,
  ModeSession,
  Outcome,
  Presentation,
  StoppedCall,
} from "../core/mode.ts";
import type { AskedCall, ModelResponse, ModelTool } from "../core/model.ts";

export const toolsMode: Mode = { name: "tools", open: () => new ToolsSession() };

class ToolsSession implements ModeSession {
  /** What was read last, and what came of it. */
  #content: ModelResponse["content"] | undefined;
  #calls: readonly AskedCall[] = [];
  /** What was shown last, and how. */
  #tools: unknown;
  #exits: unknown;
  #list: readonly ModelTool[] = [];

  present({ instructions, tools, exits }: IterationContext): Presentation {
    if (this.#tools !== tools || this.#exits !== exits) {
      const calls = tools.list.map((tool) => declare(tool.name, tools.inputSchema(tool), tools.describe(tool)));
      const leaving = exits.map((exit) => declare(exit.name, exit.inputSchema, describeExit(exit)));
      this.#list = [...calls, ...leaving];
      this.#tools = tools;
      this.#exits = exits;
    }
    return { instructions, tools: this.#list };
  }

  /** Asked for several times in an iteration, and read once. */
  read({ content }: ModelResponse): readonly AskedCall[] {
    if (this.#content !== content) {
      this.#content = content;
      this.#calls = content.filter((part) => part.type === "tool-call").map(toAsked);
    }
    return this.#calls;
  }

  act(response: ModelResponse, context: IterationContext, hands: Hands): Outcome | Promise<Outcome> {
    const calls = this.read(response);
    if (calls.length === 0) return { messages: [], text: textOf(response) };
    return context.exits.length > 0 ? actWithExits(calls, context, hands) : actWithTools(calls, hands);
  }

  stopped(response: ModelResponse, results: ReadonlyMap<string, StoppedCall>): readonly LoggedMessage[] {
    return this.read(response).flatMap((call): LoggedMessage[] => {
      const result = results.get(call.id);
      if (!result) return [];
      return [
        "callId" in result
          ? { role: "tool", calls: [result.callId] }
          : answer(call, { type: "error-text", value: result.message }),
      ];
    });
  }

  close(): void {}
}

function actWithTools(calls: readonly AskedCall[], hands: Hands): Promise<Outcome> {
  return Promise.all(calls.map((call) => hands.invoke(call))).then(withResults);
}

function withResults(results: readonly CallResult[]): Outcome {
  return { messages: [{ role: "tool", calls: results.map(({ callId }) => callId) }] };
}

/** Exits are taken when the calls beside them are over. */
async function actWithExits(calls: readonly AskedCall[], context: IterationContext, hands: Hands): Promise<Outcome> {
  const exits = calls.map(({ name }) => (context.tools.find(name) ? undefined : findExit(name, context.exits)));
  const results = await Promise.all(calls.map((call, index) => (exits[index] ? undefined : hands.invoke(call))));
  const failed = results.find((result) => result && !result.ok);
  const messages: LoggedMessage[] = [];
  for (const [index, call] of calls.entries()) {
    const exit = exits[index];
    if (exit) messages.push(await leave(call, exit, hands, failed));
    else addResult(messages, results[index]!);
  }
  return { messages };
}

function declare(name: string, inputSchema: unknown, description: string): ModelTool {
  return { type: "function", name, ...(description && { description }), inputSchema };
}

function describeExit({ description }: Exit): string {
  return `${description ? `${description}. ` : ""}Calling this ends the work.`.replace("..", ".");
}

function toAsked({ toolCallId, toolName, input }: ToolCallPart): AskedCall {
  const invalid =
    isPlainObject(input) && typeof input.invalid_json === "string" && Object.keys(input).length === 1
      ? input.invalid_json
      : undefined;
  if (invalid === undefined) return { id: toolCallId, name: toolName, input };
  return { id: toolCallId, name: toolName, input, invalid };
}

/** Results beside each other are one message. */
function addResult(messages: LoggedMessage[], { callId }: CallResult): void {
  const last = messages.at(-1);
  if (last && "calls" in last) last.calls.push(callId);
  else messages.push({ role: "tool", calls: [callId] });
}

async function leave(call: AskedCall, exit: Exit, hands: Hands, failed?: CallResult): Promise<LoggedMessage> {
  const problem = cannotLeave(call, failed);
  if (problem) return answer(call, { type: "error-text", value: `Exit "${exit.name}" was not taken: ${problem}` });
  const sent = isPlainObject(call.input) ? call.input : { value: call.input };
  const left = await hands.leave(exit, sent);
  return answer(call, left.ok ? { type: "text", value: "Done." } : { type: "error-text", value: left.message });
}

/** A model that leaves and works in one answer has not read yet what became of the work. */
function cannotLeave({ invalid }: AskedCall, failed: CallResult | undefined): string | undefined {
  if (invalid !== undefined) return `its input is not valid JSON: ${invalid}`;
  return failed && `the call of "${failed.name}" beside it failed. Read its result first.`;
}

function answer(call: AskedCall, output: { type: "text" | "error-text"; value: string }): LoggedMessage {
  return { role: "tool", content: [{ type: "tool-result", toolCallId: call.id, toolName: call.name, output }] };
}
