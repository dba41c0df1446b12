/** Before the first iteration: the log is read, the sandbox is opened, and what the user said is written down. */
import { messageOf } from "../base/errors.ts";
import { consoleLogger, noSecrets } from "../core/call-context.ts";
import type { ExecuteOptions, Rooms } from "../core/execute.ts";
import type { Entry, RunEvent } from "../core/log.ts";
import { type Message, toMessage, type UserMessage, userText } from "../core/message.ts";
import type { Mode } from "../core/mode.ts";
import type { Sandbox } from "../core/sandbox.ts";
import type { Redact, Secrets } from "../core/secrets.ts";
import type { ToolEntry } from "../core/tool.ts";
import { decodeMessage, readHistory } from "./history.ts";
import { readJournal } from "./journal.ts";
import type { NamedTools } from "./named-tools.ts";
import { ownJson } from "./own-json.ts";
import { givenEntries, pastEntries, pastRun } from "./past-log.ts";
import { RunLog } from "./record.ts";
import type { RunAbort } from "./run-abort.ts";
import { RunState } from "./run-state.ts";
import type { Steering } from "./steering.ts";
import { toolsAtStart, wantsSandbox } from "./tools-at-start.ts";
import type { Watchers } from "./watchers.ts";

/** What the options say, read and found right. */
export interface Prepared {
  options: ExecuteOptions;
  rooms: Rooms;
  tools: NamedTools | undefined;
  mode: Mode;
  secrets: Secrets;
  redact: Redact;
  given: readonly Entry[];
}

/** @throws HaftError for options that do not fit: everything that `execute` rejects with */
export async function prepare(options: ExecuteOptions, rooms: Rooms): Promise<Prepared> {
  const tools = toolsAtStart(options);
  const given = givenEntries(options);
  const { mode = "tools" } = options;
  const { secrets, redact } = options.secrets ? await rooms.secrets(options.secrets) : openly;
  return {
    options,
    rooms,
    tools,
    mode: typeof mode === "string" ? await rooms.mode(mode) : mode,
    secrets,
    redact,
    given,
  };
}

const openly = { secrets: noSecrets, redact: <T>(value: T): T => value };

export interface Started {
  id: string;
  steering: Steering;
  watchers: Watchers;
  abort: RunAbort;
  /** Told when the log is open: watchers that come later see its entries. */
  opened(log: RunLog): void;
}

/** @throws what a store, a mode or a sandbox throws that cannot be opened */
export async function start(prepared: Prepared, started: Started): Promise<RunState> {
  const { options, rooms, tools, mode, secrets } = prepared;
  const { steering, watchers, abort } = started;
  const session = options.session ?? pastRun(prepared.given, options).run ?? started.id;
  const entries = await pastEntries(options, session, prepared.given);
  const past = pastRun(entries, options);
  const id = past.run ?? started.id;
  const journal = readJournal(id, entries);
  const history = readHistory(entries);
  const modeSession = await mode.open();
  const sandbox = await openSandbox(prepared).catch(async (error) => {
    await modeSession.close();
    throw error;
  });

  if (tools) tools.sandbox = sandbox;
  const log = openLog(prepared, started, session, entries);
  started.opened(log);
  if (past.run === undefined) history.messages.push(...begin(log, id, options, mode, sandbox));
  else if (!past.isFinished) goOn(steering, entries, id, options.prompt);

  const run = new RunState({
    id,
    options,
    rooms,
    log,
    journal,
    mode: modeSession,
    steering,
    watchers,
    abort,
    secrets,
    sandbox,
    tools: tools && { entries: options.tools as readonly ToolEntry[] | undefined, set: tools },
    ownsSandbox: sandbox !== undefined && sandbox !== options.sandbox,
    messages: history.messages,
    assigns: { ...options.assigns, ...history.assigns },
    logger: options.logger ?? consoleLogger,
  });
  steering.start(log, journal.openIteration ?? id, history.waiting);
  return run;
}

/** The given conversation and the prompt, as they were written. */
function begin(
  log: RunLog,
  id: string,
  { messages = [], prompt }: ExecuteOptions,
  mode: Mode,
  sandbox: Sandbox | undefined,
): Message[] {
  const place = sandbox && { sandbox: { kind: sandbox.kind, summary: sandbox.summary } };
  log.record(id, { type: "run-start", mode: mode.name, ...place });
  const earlier = messages.map((message) => say(log, id, "history", toMessage(message)));
  return prompt === undefined ? earlier : [...earlier, say(log, id, "prompt", messageOfPrompt(prompt))];
}

function say(log: RunLog, id: string, via: "history" | "prompt", message: Message): Message {
  return decodeMessage(log.record(id, { type: "message", via, message: encodeMessage(message) }).message);
}

/** The same prompt as before asks to go on, and nothing else; another one is a new message. */
function goOn(steering: Steering, entries: readonly Entry[], id: string, prompt: ExecuteOptions["prompt"]): void {
  if (prompt === undefined) return;
  const message = encodeMessage(messageOfPrompt(prompt));
  const isSame = entries.some(
    (entry) =>
      entry.type === "message" && entry.key === id && JSON.stringify(entry.message) === JSON.stringify(message),
  );
  if (!isSame) steering.say(message as UserMessage);
}

function messageOfPrompt(prompt: NonNullable<ExecuteOptions["prompt"]>): UserMessage {
  return typeof prompt === "string" ? userText(prompt) : { role: "user", content: prompt };
}

/** Bytes and URLs of files are encoded; the rest stays as it is, and is ours alone. */
function encodeMessage(message: Message): Message {
  return ownJson(message, "message") as unknown as Message;
}

function openLog(
  { options, redact }: Prepared,
  { watchers, abort }: Started,
  session: string,
  entries: readonly Entry[],
) {
  const { store, epoch = 0 } = options;
  const trace = traceHook(options);
  return new RunLog({
    entries,
    redact,
    ...(store && { store: { store, session, epoch } }),
    failed: (error) => abort.abort(error),
    tell(event) {
      watchers.tell(event);
      trace?.(event);
    },
  });
}

/** `onTrace` can neither change nor fail the run, whether it throws at once or later. */
function traceHook({ hooks, logger = consoleLogger }: ExecuteOptions): ((event: RunEvent) => void) | undefined {
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

async function openSandbox({ options, rooms, tools }: Prepared): Promise<Sandbox | undefined> {
  const { sandbox, cwd = process.cwd() } = options;
  if (typeof sandbox === "object") return sandbox;
  if (sandbox === undefined && !wantsSandbox(tools)) return undefined;
  return rooms.sandbox(sandbox ?? "auto", { cwd });
}
