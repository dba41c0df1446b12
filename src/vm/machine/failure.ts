/** What the engine threw, as the end of a program; and whether the engine can be used again. */
import type { ProgramDone, ProgramLimits } from "../../core/program.ts";
import { GuestException, type Instance } from "../engine/instance.ts";

export function failureOf(
  thrown: unknown,
  { instance, limits }: { instance: Instance; limits: ProgramLimits },
): { done: ProgramDone; isBroken: boolean } {
  if (instance.failure === undefined && thrown instanceof GuestException) {
    return { done: thrown.isUncatchable ? memory(limits) : spoilt(thrown), isBroken: false };
  }
  return { done: thrown instanceof RangeError ? stack(limits) : failed, isBroken: true };
}

export function needsMoreMemory({ memoryMb }: ProgramLimits): string {
  return `The program needed more than ${memoryMb} MB of memory`;
}

const failed: ProgramDone = { type: "lost", message: "The engine has failed" };

function memory(limits: ProgramLimits): ProgramDone {
  return { type: "limit", limit: "memoryMb", message: needsMoreMemory(limits) };
}

function spoilt({ message }: GuestException): ProgramDone {
  return {
    type: "lost",
    message: `What earlier programs did to the global object lets no other begin: ${message}`,
  };
}

function stack({ stackKb }: ProgramLimits): ProgramDone {
  const message = `The program was nested too deep for ${stackKb} KB of stack`;
  return { type: "limit", limit: "stackKb", message };
}
