/** After everything that could go on has gone on: the program waits, or it is done, and this is what it leaves behind. */
import type { ProgramDone, ProgramError } from "../../core/program.ts";
import type { Machine } from "./machine.ts";
import { programError } from "./program-error.ts";
import type { RunningProgram } from "./running-program.ts";

const MAX_UNHANDLED = 20;
/** What a program throws is cut in the guest; only what it returns can be larger. */
const MAX_ERROR_BYTES = 1_000_000;

const stuck: ProgramError = {
  name: "Error",
  message: "The program waits for a promise that nothing will settle: no call is open, and no timer is set",
  frames: [],
};

export function conclude(machine: Machine): string {
  const { program, turn } = machine;
  if (!program) return turn.waiting();
  machine.assertMayGoOn();
  if (!isOver(machine)) return turn.waiting();

  const done = isSettled(machine) ? endOf(machine, program) : JSON.stringify({ type: "threw", error: stuck });
  const unhandled = JSON.stringify(unhandledOf(machine, program));
  machine.endProgram();
  const bindings = machine.instance.takeText(machine.instance.call(machine.image.entry.describeKept));
  return turn.done(done, unhandled, bindings);
}

/** Nothing that could still come would change what it does. */
export function isOver(machine: Machine): boolean {
  const { program } = machine;
  return !program || !(isSettled(machine) ? program.hasDetached : program.waitsForSomething);
}

function isSettled({ instance, promise }: Machine): boolean {
  return instance.exports.qjs_promise_state(promise) !== 0;
}

/** JSON of its `ProgramDone`. */
function endOf(machine: Machine, program: RunningProgram): string {
  const { instance, promise, image, limits } = machine;
  const isFulfilled = instance.exports.qjs_promise_state(promise) === 1;
  const told = instance.call(
    image.entry.finish,
    instance.numberBox(isFulfilled ? 1 : 0),
    instance.exports.qjs_promise_result(promise),
  );
  const text = instance.takeText(told, Math.max(MAX_ERROR_BYTES, limits.resultBytes));
  const bytes = instance.textBytes - 1;
  const kind = instance.firstCharacter;
  if (kind === "t") return JSON.stringify({ type: "threw", error: programError(text!.slice(1), program) });
  const isTooLarge = text === undefined || bytes > limits.resultBytes;
  if (kind === "x") return isTooLarge ? exitTooLarge(bytes, limits.resultBytes) : exitOf(text);
  if (isTooLarge) return JSON.stringify({ type: "returned", size: bytes } satisfies ProgramDone);
  return text === "r" ? '{"type":"returned"}' : `{"type":"returned","value":${text.slice(1)}}`;
}

/** The text: `x`, its name as JSON, a line's end, its value as JSON. */
function exitOf(text: string): string {
  const end = text.indexOf("\n");
  const value = text.slice(end + 1);
  return `{"type":"exit","exit":${text.slice(1, end)}${value && `,"value":${value}`}}`;
}

function exitTooLarge(bytes: number, limit: number): string {
  const size = bytes.toLocaleString("en-US");
  const message = `The value of the exit has ${size} bytes; at most ${limit.toLocaleString("en-US")} are allowed`;
  return JSON.stringify({ type: "threw", error: { name: "RangeError", message, frames: [] } } satisfies ProgramDone);
}

function unhandledOf(machine: Machine, program: RunningProgram): ProgramError[] {
  const { instance, image, rejections } = machine;
  const promises = [...rejections.all].slice(0, MAX_UNHANDLED);
  return promises.map((promise) => {
    const reason = instance.exports.qjs_promise_result(promise);
    return programError(instance.takeText(instance.call(image.entry.describeError, reason))!, program);
  });
}
