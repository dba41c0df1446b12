/** Before a run starts: its options are read, and what they name is loaded. */
import { invalidOption } from "../base/errors.ts";
import { consoleLogger } from "../core/call-context.ts";
import type { Logger } from "../core/context.ts";
import type { ExecuteOptions, Rooms } from "../core/execute.ts";
import type { Entry } from "../core/log.ts";
import type { Mode } from "../core/mode.ts";
import type { OpenSecrets } from "../core/secrets.ts";
import type { NamedTools } from "./named-tools.ts";
import type { RunObjects } from "./objects.ts";
import { givenEntries } from "./past-log.ts";
import type { Policy } from "./policy/policy.ts";
import type { RunAbort } from "./run-abort.ts";
import { objectsAtStart, toolsAtStart } from "./tools-at-start.ts";

/** What the options say, read and found right. */
export interface Prepared {
  options: ExecuteOptions;
  rooms: Rooms;
  tools: NamedTools | undefined;
  objects: RunObjects | undefined;
  mode: Mode;
  /** Undefined: nothing is secret, and nothing is taken out. */
  secrets: OpenSecrets | undefined;
  policy: Policy | undefined;
  logger: Logger;
  given: readonly Entry[];
}

/** @throws HaftError for options that do not fit: everything that `execute` rejects with */
export function prepare(options: ExecuteOptions, rooms: Rooms, abort: RunAbort): Prepared | Promise<Prepared> {
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
  const given = givenEntries(options);
  const mode = typeof options.mode === "object" ? options.mode : rooms.mode(options.mode ?? "tools");
  const known = { options, rooms, tools, objects, given, logger: options.logger ?? consoleLogger };
  const isOpen = !options.secrets && !options.redact && !hasPolicy(options);
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
  return {
    ...known,
    mode: opened,
    secrets,
    policy,
    logger: secrets ? await quiet(known.logger, secrets) : known.logger,
  };
}

async function quiet(logger: Logger, secrets: OpenSecrets): Promise<Logger> {
  const { quietLogger } = await import("./quiet-logger.ts");
  return quietLogger(logger, secrets);
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
async function readPolicy(options: ExecuteOptions): Promise<Policy | undefined> {
  if (!hasPolicy(options)) return undefined;
  const { Policy, policyProblem } = await import("./policy/index.ts");
  const problem = policyProblem(options.policy);
  if (problem) throw invalidOption(problem.message, problem.hint);
  return new Policy(options.policy!);
}
