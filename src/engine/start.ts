/** Before the first iteration: options are checked, the log is opened, the sandbox and the secrets are made. */
import { consoleLogger, noSecrets } from "../core/call-context.ts";
import type { ExecuteOptions, Rooms } from "../core/execute.ts";
import type { Entry } from "../core/log.ts";
import { type Message, toMessage, type UserMessage } from "../core/message.ts";
import type { Mode } from "../core/mode.ts";
import type { Sandbox } from "../core/sandbox.ts";
import type { Redact } from "../core/secrets.ts";
import { Snapshot } from "../core/snapshot.ts";
import type { ToolEntry } from "../core/tool.ts";
import { readHistory } from "./history.ts";
import { readJournal } from "./journal.ts";
import { RunLog } from "./record.ts";
import type { RunAbort } from "./run-abort.ts";
import { RunState } from "./run-state.ts";
import type { Steering } from "./steering.ts";
import { toolsAtStart, wantsSandbox } from "./tools-at-start.ts";
import type { Watchers } from "./watchers.ts";

export interface Started {
  id: string;
  options: ExecuteOptions;
  rooms: Rooms;
  steering: Steering;
  watchers: Watchers;
  abort: RunAbort;
  /** Told when the log is open: watchers that come later see its entries. */
  opened(log: RunLog): void;
}

/** @throws HaftError for options that do not fit, secrets that are missing, a sandbox that is not there */
export async function start(started: Started): Promise<RunState> {
  const { options, rooms, steering, watchers, abort } = started;
  const tools = toolsAtStart(options);
  const entries = await pastEntries(options);
  const unfinished = unfinishedRun(entries);
  const id = unfinished ?? (isReplay(options, entries) ? lastRun(entries)! : started.id);
  const journal = readJournal(id, entries);

  const mode = await openMode(options, rooms);
  const { secrets, redact } = options.secrets
    ? await rooms.secrets(options.secrets)
    : { secrets: noSecrets, redact: asItIs };
  const sandbox = await openSandbox(options, rooms, wantsSandbox(tools));
  if (tools) tools.sandbox = sandbox;
  if (entries.length > 0) await keepGiven(options, id, entries);
  const log = openLog(started, id, entries, redact);
  started.opened(log);

  const history = readHistory(entries);
  if (!log.entries.some(({ type, key }) => type === "run-start" && key === id)) begin(log, id, options, sandbox);
  const isNew = !unfinished && !journal.runEnd;
  if (isNew) history.messages.push(...said(log, id, options));
  else if (unfinished && options.prompt !== undefined) steering.steer(textOfPrompt(options.prompt));

  const run = new RunState({
    id,
    options,
    rooms,
    log,
    journal,
    mode: await mode.open(),
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
  steering.start(log, id, history.waiting);
  return run;
}

/** What the log or the store has already. */
function pastEntries({ log, store, session }: ExecuteOptions): Entry[] | Promise<Entry[]> {
  const given = log === undefined ? [] : Array.isArray(log) ? (log as Entry[]) : Snapshot.from(log as Snapshot).entries;
  if (!store || session === undefined) return [...given];
  return store.read(session).then((kept) => (given.length > kept.length ? [...given] : kept));
}

/** A log that was given, and is longer than what the store has of the session, is written to it first. */
async function keepGiven(
  { store, session, epoch = 0 }: ExecuteOptions,
  run: string,
  entries: readonly Entry[],
): Promise<void> {
  if (!store) return;
  const id = session ?? run;
  const kept = await store.read(id);
  if (kept.length < entries.length) await store.append(id, entries.slice(kept.length), { epoch });
}

function lastRun(entries: readonly Entry[]): string | undefined {
  for (let index = entries.length - 1; index >= 0; index--)
    if (entries[index]!.type === "run-start") return entries[index]!.key;
  return undefined;
}

function unfinishedRun(entries: readonly Entry[]): string | undefined {
  const id = lastRun(entries);
  if (id === undefined || entries.some(({ type, key }) => type === "run-end" && key === id)) return undefined;
  return id;
}

function isReplay({ prompt, messages }: ExecuteOptions, entries: readonly Entry[]): boolean {
  return prompt === undefined && messages === undefined && lastRun(entries) !== undefined;
}

function openLog(
  { options, watchers, abort }: Started,
  run: string,
  entries: readonly Entry[],
  redact: Redact,
): RunLog {
  const { store, epoch = 0, hooks } = options;
  return new RunLog({
    entries,
    redact,
    ...(store && { store: { store, session: options.session ?? run, epoch } }),
    failed: (error) => abort.abort(error),
    tell(event) {
      watchers.tell(event);
      if (!hooks?.onTrace) return;
      try {
        hooks.onTrace({ trace: event, iteration: Number(event.key.split("/")[1] ?? 0) });
      } catch (error) {
        (options.logger ?? consoleLogger).warn(
          `onTrace threw: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
    },
  });
}

function begin(log: RunLog, id: string, { mode }: ExecuteOptions, sandbox: Sandbox | undefined): void {
  const place = sandbox && { sandbox: { kind: sandbox.kind, summary: sandbox.summary } };
  log.record(id, { type: "run-start", mode: typeof mode === "object" ? mode.name : (mode ?? "tools"), ...place });
}

/** The given conversation and the prompt, as they were written. */
function said(log: RunLog, id: string, { messages = [], prompt }: ExecuteOptions): Message[] {
  const earlier = messages.map(
    (message) => log.record(id, { type: "message", via: "history", message: toMessage(message) }).message,
  );
  if (prompt === undefined) return earlier;
  const message: UserMessage =
    typeof prompt === "string" ? (toMessage(prompt) as UserMessage) : { role: "user", content: prompt };
  return [...earlier, log.record(id, { type: "message", via: "prompt", message }).message];
}

function textOfPrompt(prompt: NonNullable<ExecuteOptions["prompt"]>): string {
  return typeof prompt === "string"
    ? prompt
    : prompt.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

function openMode({ mode = "tools" }: ExecuteOptions, rooms: Rooms): Mode | Promise<Mode> {
  return typeof mode === "string" ? rooms.mode(mode) : mode;
}

/** A sandbox that was given is its owner's to dispose. */
function openSandbox(
  { sandbox, cwd }: ExecuteOptions,
  rooms: Rooms,
  wanted: boolean,
): Sandbox | undefined | Promise<Sandbox> {
  if (typeof sandbox === "object") return sandbox;
  if (sandbox === undefined && !wanted) return undefined;
  return rooms.sandbox(sandbox ?? "auto", { cwd: cwd ?? process.cwd() });
}

const asItIs: Redact = (value) => value;
