/** Before a run starts: its options are read, and what they name is loaded. */
import { invalidOption } from "../base/errors.ts";
import { consoleLogger } from "../core/call-context.ts";
import { channel, type Logger } from "../core/context.ts";
import type { ExecuteOptions, Rooms } from "../core/execute.ts";
import type { Entry } from "../core/log.ts";
import type { Mode } from "../core/mode.ts";
import type { OpenSecrets } from "../core/secrets.ts";
import type { Budget } from "./budget/index.ts";
import type { LiveText } from "./live-text.ts";
import { type NamedTools, objectsAtStart, toolsAtStart } from "./named-tools.ts";
import type { Nesting } from "./nested-run.ts";
import type { RunObjects } from "./objects.ts";
import { givenEntries } from "./past-log.ts";
import type { Judge } from "./policy/policy.ts";
import type { RunAbort } from "./run-abort.ts";
import { runAround } from "./run-inside.ts";

/** What the options say, read and found right. */
export interface Prepared {
  options: ExecuteOptions;
  rooms: Rooms;
  tools: NamedTools | undefined;
  objects: RunObjects | undefined;
  mode: Mode;
  /** Undefined: nothing is secret, and nothing is taken out. */
  secrets: OpenSecrets | undefined;
  policy: Judge | undefined;
  nesting: Nesting | undefined;
  budget?: Budget | undefined;
  logger: Logger;
  /** Where something is to be taken out of live text. */
  live?: LiveText;
  given: readonly Entry[];
}

/** @throws HaftError for options that do not fit: everything that `execute` rejects with */
export function prepare(options: ExecuteOptions, rooms: Rooms, abort: RunAbort): Prepared | Promise<Prepared> {
  const isCounted = options.budget || typeof options.prices === "string" || channel in options;
  if (isCounted) return withBudget(options, rooms, abort);
  return prepareOwn(options, rooms, abort);
}

/** Most runs have none, and load nothing for it. */
async function withBudget(given: ExecuteOptions, rooms: Rooms, abort: RunAbort): Promise<Prepared> {
  const { openBudget } = await import("./budget/index.ts");
  const { options, budget } = await openBudget(given, rooms);
  const prepared = await prepareOwn(options, rooms, abort);
  return { ...prepared, budget };
}

function prepareOwn(options: ExecuteOptions, rooms: Rooms, abort: RunAbort): Prepared | Promise<Prepared> {
  if (options.subagents) return withSubagents(options, rooms, abort);
  return prepareLists(options, rooms, abort);
}

/** The same of what gives tasks to others. */
async function withSubagents(options: ExecuteOptions, rooms: Rooms, abort: RunAbort): Promise<Prepared> {
  const [{ nestedRun }, offered] = await Promise.all([import("./nested-run.ts"), rooms.subagents(options)]);
  return { ...(await prepareLists(offered, rooms, abort)), nesting: nestedRun };
}

function prepareLists(options: ExecuteOptions, rooms: Rooms, abort: RunAbort): Prepared | Promise<Prepared> {
  if (options.objects) return withObjects(options, rooms, abort);
  return prepareAll(options, rooms, abort, undefined);
}

/** Most runs have none, and load nothing for it. */
async function withObjects(options: ExecuteOptions, rooms: Rooms, abort: RunAbort): Promise<Prepared> {
  const { RunObjects } = await import("./objects.ts");
  const objects = new RunObjects();
  const prepared = await prepareAll(options, rooms, abort, objects);
  await objects.ready(objectsAtStart(options));
  return prepared;
}

function prepareAll(
  options: ExecuteOptions,
  rooms: Rooms,
  abort: RunAbort,
  objects: RunObjects | undefined,
): Prepared | Promise<Prepared> {
  const tools = toolsAtStart(options, objects);
  const around = runAround(options);
  const given = around ? around.past : givenEntries(options);
  const mode = typeof options.mode === "object" ? options.mode : rooms.mode(options.mode ?? "tools");
  const logger = options.logger ?? consoleLogger;
  const known = { options, rooms, tools, objects, given, logger, nesting: undefined };
  const isOpen = !options.secrets && !options.redact && !hasPolicy(options) && !around;
  if (isOpen && !(mode instanceof Promise)) return { ...known, mode, secrets: undefined, policy: undefined };
  return prepareRooms(known, mode, abort);
}

async function prepareRooms(
  known: Omit<Prepared, "mode" | "secrets" | "policy">,
  mode: Mode | Promise<Mode>,
  abort: RunAbort,
): Promise<Prepared> {
  const opening = openSecrets(known.options, known.rooms, abort);
  const [secrets, policy, opened] = await Promise.all([opening, readPolicy(known.options), mode]);
  const around = runAround(known.options);
  const all = around ? around.secrets(secrets, known.options.secrets !== undefined) : secrets;
  return {
    ...known,
    mode: opened,
    secrets: all,
    policy: around ? around.policy(policy) : policy,
    ...(all && (await quiet(known.logger, all))),
  };
}

/** What is said beside the log, and what is shown of texts that are not whole yet, have no secrets either. */
async function quiet(logger: Logger, secrets: OpenSecrets): Promise<Pick<Prepared, "logger" | "live">> {
  const [{ quietLogger }, { LiveText }] = await Promise.all([import("./quiet-logger.ts"), import("./live-text.ts")]);
  return { logger: quietLogger(logger, secrets), live: new LiveText(secrets.stream, secrets.redact) };
}

function openSecrets(
  { secrets: sources, redact: rules, cwd = process.cwd() }: ExecuteOptions,
  rooms: Rooms,
  abort: RunAbort,
) {
  return sources || rules ? rooms.secrets({ sources, rules, cwd, abortSignal: abort.signal }) : undefined;
}

function hasPolicy({ policy }: ExecuteOptions): boolean {
  return policy !== undefined && !(Array.isArray(policy) && policy.length === 0);
}

/** Most runs have none, and load nothing for it. @throws HaftError `OPTIONS_INVALID` */
async function readPolicy(options: ExecuteOptions): Promise<Judge | undefined> {
  if (!hasPolicy(options)) return undefined;
  const { Policy, policyProblem } = await import("./policy/index.ts");
  const problem = policyProblem(options.policy);
  if (problem) throw invalidOption(problem.message, problem.hint);
  return new Policy(options.policy!);
}
