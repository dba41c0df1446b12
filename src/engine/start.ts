/** Before the first iteration: the log is read, the sandbox is opened, and what the user said is written down. */
import { encode } from "../base/codec.ts";
import type { ExecuteOptions } from "../core/execute.ts";
import type { Entry } from "../core/log.ts";
import { withoutNested } from "../core/log-keys.ts";
import { type Message, toMessage, type UserMessage, userText } from "../core/message.ts";
import type { Mode, ModeSession } from "../core/mode.ts";
import type { Sandbox } from "../core/sandbox.ts";
import type { ToolEntry } from "../core/tool.ts";
import { decodeMessage, type History, readHistory } from "./history.ts";
import { traceHook } from "./hook-calls.ts";
import { type Journal, readJournal } from "./journal.ts";
import { type NamedTools, objectsAtStart, wantsSandbox } from "./named-tools.ts";
import { pastEntries, pastRun } from "./past-log.ts";
import type { Prepared } from "./prepare.ts";
import { type Recorder, RunLog } from "./record.ts";
import type { RunAbort } from "./run-abort.ts";
import { runAround } from "./run-inside.ts";
import { RunState } from "./run-state.ts";
import type { Steering } from "./steering.ts";
import type { Watchers } from "./watchers.ts";

const asItIs = <T>(value: T): T => value;

export interface Started {
  id: string;
  steering: Steering;
  watchers: Watchers;
  abort: RunAbort;
  /** Told when the log is open: watchers that come later see its entries. */
  opened(log: Recorder): void;
}

/** @throws what a store, a mode or a sandbox throws that cannot be opened */
export function start(prepared: Prepared, started: Started): RunState | Promise<RunState> {
  const opened = open(prepared, started);
  return opened instanceof Promise
    ? opened.then((rooms) => enter(prepared, started, rooms))
    : enter(prepared, started, opened);
}

interface Opened {
  session: string;
  entries: readonly Entry[];
  mode: ModeSession;
  sandbox: Sandbox | undefined;
}

/** At once in the common case: nothing came before, and no sandbox is to be opened. */
function open(prepared: Prepared, { id }: Started): Opened | Promise<Opened> {
  const { options, given } = prepared;
  const session = options.session ?? pastRun(given, options).run ?? id;
  const isNew = given.length === 0 && (!options.store || options.session === undefined);
  if (!isNew || sandboxToOpen(prepared) !== undefined) return openRooms(prepared, session);
  const mode = prepared.mode.open();
  const sandbox = options.sandbox as Sandbox | undefined;
  if (mode instanceof Promise) return mode.then((opened) => ({ session, entries: given, mode: opened, sandbox }));
  return { session, entries: given, mode, sandbox };
}

async function openRooms(prepared: Prepared, session: string): Promise<Opened> {
  const { options, rooms, given } = prepared;
  const entries = await pastEntries(options, session, given);
  const mode = await prepared.mode.open();
  try {
    const name = sandboxToOpen(prepared);
    const cwd = options.cwd ?? process.cwd();
    const sandbox = name === undefined ? (options.sandbox as Sandbox | undefined) : await rooms.sandbox(name, { cwd });
    return { session, entries, mode, sandbox };
  } catch (error) {
    await mode.close();
    throw error;
  }
}

function enter(prepared: Prepared, started: Started, opened: Opened): RunState {
  const { options, tools, objects, mode, secrets, budget } = prepared;
  const { session, sandbox } = opened;
  const entries = secrets ? secrets.redact(opened.entries) : opened.entries; // it may be older than the secrets
  const around = runAround(options);
  const own = around ? entries : withoutNested(entries);
  const past = pastRun(own, options, around?.id);
  const id = past.run ?? started.id;
  const journal = readJournal(id, own);
  const history = readHistory(own, around?.id);
  if (tools) tools.surround(sandbox, secrets);
  const log = openLog(prepared, started, session, entries);
  if (objects) objects.open(id, log, own);
  started.opened(log);
  if (past.run === undefined) begin(log, id, history.messages, options, mode, sandbox);
  else if (!past.isFinished) goOn(started.steering, log, own, id, options.prompt);
  const isReplay = past.run !== undefined && past.isFinished;
  if (budget?.countsTime && past.run !== undefined && !isReplay) log.record(id, { type: "run-resume" });
  if (budget) budget.open(id, own.length > 0 ? log.entries : own, started.abort, isReplay);
  if (secrets && options.secrets && secrets.known.length > 0 && !isReplay)
    log.record(id, { type: "secret", action: "resolve", secrets: [...secrets.known] });

  started.steering.start(log, journal.openIteration ?? id, history.waiting);
  return stateOf(prepared, started, opened, { id, log, journal, history });
}

function stateOf(
  { options, rooms, tools, objects, secrets, policy, nesting, budget, logger }: Prepared,
  { steering, watchers, abort }: Started,
  { mode, sandbox }: Opened,
  { id, log, journal, history }: { id: string; log: Recorder; journal: Journal; history: History },
): RunState {
  const run = new RunState({
    id,
    options,
    rooms,
    log,
    journal,
    mode,
    policy,
    nesting,
    budget,
    steering,
    watchers,
    abort,
    secrets,
    sandbox,
    objects,
    tools: tools && toolsOfLists(options, tools),
    ownsSandbox: sandbox !== undefined && sandbox !== options.sandbox,
    messages: history.messages,
    measured: history.measured,
    assigns: { ...options.assigns, ...history.assigns },
    logger,
  });
  if (history.hasMore) run.offerReading();
  for (const { model, usage } of journal.compactions ?? []) if (model && usage) run.spend({ model, usage });
  return run;
}

/** Of lists only: what a function gives is read when it gives it. */
function toolsOfLists(options: ExecuteOptions, set: NamedTools): RunState["tools"] {
  return { entries: options.tools as readonly ToolEntry[] | undefined, objects: objectsAtStart(options), set };
}

/** The given conversation and the prompt, as they were written. */
function begin(
  log: Recorder,
  id: string,
  conversation: Message[],
  { messages, prompt }: ExecuteOptions,
  mode: Mode,
  sandbox: Sandbox | undefined,
): void {
  const place = sandbox && { sandbox: { kind: sandbox.kind, summary: sandbox.summary } };
  log.record(id, { type: "run-start", mode: mode.name, ...place });
  if (messages) conversation.push(...messages.map((message) => say(log, id, "history", toMessage(message))));
  if (prompt !== undefined) conversation.push(promptOf(log, id, prompt));
}

/** A text is its own encoding, and nobody else's to change. */
function promptOf(log: Recorder, id: string, prompt: NonNullable<ExecuteOptions["prompt"]>): Message {
  const message = messageOfPrompt(prompt);
  if (typeof prompt !== "string") return say(log, id, "prompt", message);
  return log.record(id, { type: "message", via: "prompt", message }).message;
}

function say(log: Recorder, id: string, via: "history" | "prompt", message: Message): Message {
  return decodeMessage(log.record(id, { type: "message", via, message: encodeMessage(message) }).message);
}

/** The same prompt as before asks to go on, and nothing else; another one is a new message. */
function goOn(
  steering: Steering,
  log: Recorder,
  entries: readonly Entry[],
  id: string,
  prompt: ExecuteOptions["prompt"],
): void {
  if (prompt === undefined) return;
  const message = log.redacted(encodeMessage(messageOfPrompt(prompt)));
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
  return encode(message, "message") as unknown as Message;
}

function openLog(
  { options, secrets, logger, live }: Prepared,
  { watchers, abort }: Started,
  session: string,
  entries: readonly Entry[],
): Recorder {
  const { store, epoch = 0 } = options;
  const redact = secrets?.redact ?? asItIs;
  const trace = traceHook(options, logger);
  const around = runAround(options);
  if (around) return around.open({ redact, live, trace });
  return new RunLog({
    entries,
    redact,
    live,
    watchers,
    abort,
    trace,
    ...(store && { store: { store, session, epoch } }),
  });
}

/** The name of the sandbox that the run opens itself; none where it was given one, or needs none. */
function sandboxToOpen({ options: { sandbox }, tools }: Prepared): string | undefined {
  if (typeof sandbox === "object") return undefined;
  return sandbox ?? (wantsSandbox(tools) ? "auto" : undefined);
}
