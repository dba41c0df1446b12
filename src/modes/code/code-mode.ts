/** Mode "code": the model writes one program an iteration, in which tools are functions. */
import { decode } from "../../base/codec.ts";
import type { Json } from "../../base/json.ts";
import { findExit } from "../../core/exit-value.ts";
import type { LoggedMessage } from "../../core/log.ts";
import { type ToolResultPart, textOf, userText } from "../../core/message.ts";
import type {
  Hands,
  IterationContext,
  Mode,
  ModeSession,
  Outcome,
  Presentation,
  StoppedCall,
} from "../../core/mode.ts";
import type { AskedCall, ModelResponse, ModelTool } from "../../core/model.ts";
import type { ContentPart } from "../../core/tool-result.ts";
import { type Offer, offerOf } from "./offer.ts";
import { type CodeModeParts, Programs } from "./programs.ts";
import { codePrompt } from "./prompt.ts";
import { type Answer, RUN_PROGRAM, readAnswer } from "./read-answer.ts";
import { endingText, report } from "./report.ts";

export function codeModeOf(parts: CodeModeParts): Mode {
  return { name: "code", open: () => new CodeSession(parts) };
}

const runProgram: ModelTool = {
  type: "function",
  name: RUN_PROGRAM,
  description: "Runs one TypeScript program.",
  inputSchema: {
    type: "object",
    properties: { code: { type: "string", description: "The program" } },
    required: ["code"],
    additionalProperties: false,
  },
};

interface Shown {
  context: IterationContext;
  offer: Offer;
  presentation: Presentation;
}

class CodeSession implements ModeSession {
  readonly #programs: Programs;
  #read: { content: ModelResponse["content"]; answer: Answer } | undefined;
  #shown: Shown | undefined;

  constructor(parts: CodeModeParts) {
    this.#programs = new Programs(parts);
  }

  present(context: IterationContext): Presentation {
    return this.#show(context).presentation;
  }

  read(response: ModelResponse): readonly AskedCall[] {
    return this.#answer(response).calls;
  }

  code(response: ModelResponse): string | undefined {
    return this.#answer(response).code;
  }

  async act(response: ModelResponse, context: IterationContext, hands: Hands): Promise<Outcome> {
    const answer = this.#answer(response);
    if (answer.calls.length === 0) return { messages: [], text: textOf(response) };
    const { program, code } = answer;
    const result = program && code !== undefined ? await this.#run(program, code, context, hands) : noProgram;
    return { messages: answer.calls.map((call) => tell(answer, call, call === program ? result : otherCall(call))) };
  }

  /** A call stopped the program, or the run was. */
  stopped(response: ModelResponse, results: ReadonlyMap<string, StoppedCall>): readonly LoggedMessage[] {
    const answer = this.#answer(response);
    const run = this.#programs.leave();
    return answer.calls.map((call) => {
      const stopped = results.get(call.id);
      const why = stopped && "message" in stopped ? stopped.message : "Not done";
      const isRunning = run !== undefined && call === answer.program;
      const text = isRunning ? report(why.replace("Not done: ", "The program was stopped: "), run) : why;
      return tell(answer, call, { text, isError: true });
    });
  }

  close(): void {
    this.#programs.close();
  }

  async #run(program: AskedCall, code: string, context: IterationContext, hands: Hands): Promise<Told> {
    const { offer } = this.#show(context);
    const { done, run } = await this.#programs.run(program.id, code, offer, hands);
    const left = done.type === "exit" ? await leave(done, offer, hands) : undefined;
    const ending = left && !left.ok ? left.message : endingText(done);
    const isError = left ? !left.ok : done.type !== "returned";
    return { text: report(ending, run), isError, content: run && contentOf(run.calls.values()) };
  }

  #answer({ content }: ModelResponse): Answer {
    if (this.#read?.content !== content) this.#read = { content, answer: readAnswer({ content }) };
    return this.#read.answer;
  }

  #show(context: IterationContext): Shown {
    const { instructions, tools, exits, objects } = context;
    const shown = this.#shown;
    const isSame =
      shown?.context.tools === tools &&
      shown.context.exits === exits &&
      shown.context.objects === objects &&
      shown.context.instructions === instructions;
    if (isSame) return shown;
    const offer = offerOf(context);
    const { declarations } = offer;
    const prompt = codePrompt({
      declarations: declarations.shown,
      hasExits: exits.length > 0,
      hasObjects: context.objects.length > 0,
      isShort: declarations.isShort,
    });
    const text = instructions === "" ? prompt : `${prompt}\n\n${instructions}`;
    this.#shown = { context, offer, presentation: { instructions: text, tools: [runProgram] } };
    return this.#shown;
  }
}

/** What the model is told of one of its calls. */
interface Told {
  text: string;
  isError: boolean;
  content?: readonly ContentPart[];
}

const noProgram: Told = {
  text: `The input of ${RUN_PROGRAM} is { code: string }, as valid JSON: one TypeScript program.`,
  isError: true,
};

function otherCall({ name }: AskedCall): Told {
  const text =
    name === RUN_PROGRAM
      ? "Not run: one program at a time. Put what belongs together into one."
      : `There is no function "${name}" beside ${RUN_PROGRAM}. Tools are called in a program: await ${name}(…).`;
  return { text, isError: true };
}

async function leave(
  { exit: name, value }: { exit: string; value?: Json },
  offer: Offer,
  hands: Hands,
): Promise<{ ok: true } | { ok: false; message: string }> {
  const exit = findExit(name, offer.exits);
  const names = offer.exits.map((known) => known.name).join(", ") || "none";
  if (!exit) return { ok: false, message: `There is no exit "${name}". The exits are: ${names}` };
  return hands.leave(exit, value === undefined ? {} : { value: decode(value) });
}

function contentOf(calls: Iterable<{ result: { content?: ContentPart[] } | undefined }>): ContentPart[] {
  return [...calls].flatMap(({ result }) => (result?.content ?? []).filter(({ type }) => type !== "text"));
}

/** A program that came as text has no call to answer: the model reads of it in a message. */
function tell({ isFenced }: Answer, { id, name }: AskedCall, { text, isError, content = [] }: Told): LoggedMessage {
  if (isFenced) return userText(text);
  return {
    role: "tool",
    content: [{ type: "tool-result", toolCallId: id, toolName: name, output: outputOf(text, isError, content) }],
  };
}

function outputOf(text: string, isError: boolean, content: readonly ContentPart[]): ToolResultPart["output"] {
  const images = content.flatMap((part) =>
    part.type === "text" ? [] : [{ type: "image-data" as const, data: part.data, mediaType: part.mediaType }],
  );
  if (images.length === 0) return { type: isError ? "error-text" : "text", value: text };
  return { type: "content", value: [{ type: "text", text }, ...images] };
}
