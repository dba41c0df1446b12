/** Runs a program in a session of a VM to its end, as a mode would: calls are answered in order, timers fire at once. */
import { decode, encode } from "../../src/base/codec.ts";
import type { Json } from "../../src/base/json.ts";
import type {
  ProgramInput,
  ProgramSession,
  ProgramSessionOptions,
  ProgramVm,
  Settlement,
  Turn,
} from "../../src/core/program.ts";

export const seed = "00112233445566778899aabbccddeeff";
export const now = Date.UTC(2030, 0, 1);

/** The answer of `pending` never comes. */
export const pending = Symbol("pending");
export type Handlers = Record<string, (input: unknown) => unknown>;

export interface ProgramRun {
  /** Of the last turn, for a program that waits for what never comes. */
  done: NonNullable<Turn["done"]> | undefined;
  /** Decoded, when it returned. */
  value: unknown;
  calls: { name: string; input: unknown; line: number; column: number; isDetached: boolean }[];
  prints: { level: string; values: unknown[] }[];
  turns: Turn[];
  last: Turn;
}

export interface RunOptions extends ProgramSessionOptions, Partial<Omit<ProgramInput, "functions">> {
  handlers?: Handlers;
}

/** In a session of its own. */
export async function runAlone(vm: ProgramVm, code: string, options: RunOptions = {}): Promise<ProgramRun> {
  const session = await vm.open({ limits: options.limits, write: options.write });
  try {
    return await runIn(session, code, options);
  } finally {
    session.close();
  }
}

export async function runIn(session: ProgramSession, code: string, options: RunOptions = {}): Promise<ProgramRun> {
  const { handlers = {}, limits: _limits, write: _write, ...input } = options;
  let turn = await session.start({ seed, now, functions: Object.keys(handlers), ...input, code });
  const turns = [turn];
  for (let at = now + 1; !turn.done; at++) {
    const settlements = settlementsOf(turn, handlers, at);
    if (settlements.length === 0) break;
    turn = await session.settle(settlements);
    turns.push(turn);
  }
  return summary(turns);
}

function settlementsOf(turn: Turn, handlers: Handlers, at: number): Settlement[] {
  const timers = turn.timers.map(({ id, delayMs }): Settlement => ({ at: at + delayMs, timer: id }));
  const calls = turn.calls.map(({ id, name, input }): Settlement | undefined => {
    try {
      const output = handlers[name]!(input === undefined ? undefined : decode(input));
      if (output === pending) return undefined;
      return { at, id, ok: true, output: output === undefined ? undefined : encode(output) };
    } catch (thrown) {
      return { at, id, ok: false, error: thrownOf(thrown) };
    }
  });
  return [...calls.filter((settlement) => settlement !== undefined), ...timers];
}

function thrownOf(thrown: unknown) {
  const { name, message, code, data, cause } = thrown as Error & { code?: string; data?: unknown };
  return {
    ...{ name, message, ...(code !== undefined && { code }) },
    ...(data !== undefined && { data: encode(data) }),
    ...(cause !== undefined && { cause: encode(cause) }),
  };
}

function summary(turns: Turn[]): ProgramRun {
  const last = turns.at(-1)!;
  const read = (json: Json | undefined) => (json === undefined ? undefined : decode(json));
  return {
    done: last.done,
    value: last.done && "value" in last.done ? read(last.done.value) : undefined,
    calls: turns.flatMap(({ calls }) => calls.map(({ id: _id, input, ...rest }) => ({ ...rest, input: read(input) }))),
    prints: turns.flatMap(({ prints }) => prints.map(({ level, values }) => ({ level, values: values.map(read) }))),
    turns,
    last,
  };
}
