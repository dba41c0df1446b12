/** What the guest asks of its host, one opcode each: calls and prints go into the turn, the rest is answered at once. */
import type { Box } from "../engine/exports.ts";
import type { HostArguments } from "../engine/host-imports.ts";
import type { Instance } from "../engine/instance.ts";
import { OPCODES } from "../guest/opcodes.ts";
import type { Machine } from "./machine.ts";
import { changeUrl, parseQuery, parseUrl, writeQuery } from "./url-operations.ts";

const levels = ["log", "info", "warn", "error", "debug"] as const;
const MAX_URL_BYTES = 1_024 * 1_024;
/** As many calls run at once. */
const MAX_OPEN_INPUTS = 8;
const topPlace = { line: 1, column: 1 };

export function handleOperation(opcode: number, args: HostArguments, machine: Machine): Box | undefined {
  const { instance } = machine;
  switch (opcode) {
    case OPCODES.CALL:
      return call(args, machine);
    case OPCODES.PRINT:
      return print(args, machine);
    case OPCODES.TIMER:
      return timer(args, machine);
    case OPCODES.TIMER_CLEARED:
      return clearTimer(args, machine);
    case OPCODES.WRITE:
      return write(args, machine);
    case OPCODES.RANDOM:
      return instance.bytesBox(machine.randomBytes(args.number(1)));
    case OPCODES.URL_PARSE:
    case OPCODES.URL_CHANGE:
    case OPCODES.QUERY_PARSE:
    case OPCODES.QUERY_WRITE:
      return textOrNothing(instance, urlOperation(opcode, args));
    case OPCODES.UTF8_ENCODE:
      return instance.bytesBox(Buffer.from(args.text(1)!));
    case OPCODES.UTF8_DECODE:
      return textOrNothing(instance, decodeUtf8(args, instance));
  }
  throw new Error(`The guest has asked for ${opcode}, which is nothing`);
}

/** Nothing for what is no URL, and for what is too long to be one: Node does not stop in the middle of it. */
function urlOperation(opcode: number, args: HostArguments): string | undefined {
  const first = args.text(1, MAX_URL_BYTES);
  if (first === undefined) return undefined;
  if (opcode === OPCODES.QUERY_PARSE) return parseQuery(first);
  if (opcode === OPCODES.QUERY_WRITE) return writeQuery(first);
  if (opcode === OPCODES.URL_PARSE && args.isUndefined(2)) return parseUrl(first);
  const second = args.text(2, MAX_URL_BYTES);
  if (second === undefined) return undefined;
  if (opcode === OPCODES.URL_PARSE) return parseUrl(first, second);
  const third = args.text(3, MAX_URL_BYTES);
  return third === undefined ? undefined : changeUrl(first, second, third);
}

/** Gives the reason where it is refused; the guest then throws it. */
function call(args: HostArguments, machine: Machine): Box | undefined {
  const { program, limits, instance } = machine;
  if (!program) return undefined; // of a program that has ended, or was left
  const id = args.number(1);
  const index = args.number(2);
  if (id > limits.calls) machine.stop("calls", `The program made more than ${count(limits.calls)} calls`);
  const input = args.isUndefined(4) ? undefined : args.text(4, limits.argumentBytes);
  if (input === undefined && !args.isUndefined(4)) {
    const { textBytes } = instance;
    return instance.stringBox(
      `The input of ${program.functions[index]} has ${count(textBytes)} bytes; at most ${count(limits.argumentBytes)} are allowed`,
    );
  }
  const bytes = input === undefined ? 0 : instance.textBytes;
  if (program.openBytes + bytes > MAX_OPEN_INPUTS * limits.argumentBytes) {
    return instance.stringBox(
      `The inputs of calls that have not ended have more than ${count(MAX_OPEN_INPUTS * limits.argumentBytes)} bytes: wait for some of them first`,
    );
  }
  const raw = program.rawPlace(args.text(3)!);
  const place = raw ? program.place(raw.line, raw.column) : topPlace;
  const isDetached = raw !== undefined && program.isDetached(place, program.functions[index]!);
  program.addCall(id, { isDetached, bytes });
  machine.turn.call(id, program.functionNames[index]!, input, place, isDetached);
  return undefined;
}

function print(args: HostArguments, { program, limits, instance, turn }: Machine): undefined {
  if (!program || program.printedBytes > limits.logBytes) return;
  const values = args.text(2, limits.logBytes - program.printedBytes);
  program.printedBytes += instance.textBytes;
  if (values !== undefined) turn.print(levels[args.number(1)]!, values);
  else {
    program.printedBytes = Number.POSITIVE_INFINITY;
    turn.print("warn", `["The program printed more than ${count(limits.logBytes)} bytes: the rest is left out."]`);
  }
}

function timer(args: HostArguments, machine: Machine): undefined {
  const { program, limits, turn } = machine;
  if (!program) return undefined;
  const id = args.number(1);
  if (id > limits.calls) machine.stop("calls", `The program set more than ${count(limits.calls)} timers`);
  program.timers.add(id);
  turn.timer(id, args.number(2));
  return undefined;
}

function clearTimer(args: HostArguments, { program }: Machine): undefined {
  const id = args.number(1);
  if (program?.timers.delete(id)) program.clearedTimers.add(id);
}

/** Nothing, or the JSON text of what was written, or `!` and the reason. */
function write(args: HostArguments, machine: Machine): Box | undefined {
  const { program, limits, instance } = machine;
  const object = program?.objects[args.number(1)];
  const property = object?.properties[args.number(2)];
  if (!program || !object || !property) return instance.stringBox("!The program has ended");
  if (++program.writes > limits.calls)
    machine.stop("calls", `The program made more than ${count(limits.calls)} assignments to properties`);
  const value = args.isUndefined(3) ? undefined : args.text(3, limits.argumentBytes);
  if (value === undefined && !args.isUndefined(3)) {
    return instance.stringBox(
      `!The value of ${object.name}.${property.name} has ${count(instance.textBytes)} bytes; at most ${count(limits.argumentBytes)} are allowed`,
    );
  }
  return textOrNothing(instance, machine.askWrite(object.name, property.name, value));
}

function decodeUtf8(args: HostArguments, instance: Instance): string | undefined {
  const buffer = instance.exports.qjs_get_array_buffer(args.box(1), instance.scratch);
  const size = instance.view.getUint32(instance.scratch, true);
  const start = buffer + args.number(2);
  const end = Math.min(start + args.number(3), buffer + size); // the length is a getter that a program may have replaced
  const flags = args.number(4);
  const decoder = new TextDecoder("utf-8", { fatal: (flags & 1) !== 0, ignoreBOM: (flags & 2) !== 0 });
  try {
    return decoder.decode(instance.bytes.subarray(start, end));
  } catch {
    return undefined;
  }
}

function textOrNothing(instance: Instance, text: string | undefined): Box | undefined {
  return text === undefined ? undefined : instance.stringBox(text);
}

function count(number: number): string {
  return number.toLocaleString("en-US");
}
