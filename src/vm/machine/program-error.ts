/** What the guest told of an error, turned into what the contract calls a ProgramError: frames and an excerpt. */
import type { ProgramError } from "../../core/program.ts";
import type { RunningProgram } from "./running-program.ts";

/** The JSON text of it, from the guest's. */
export function programError(told: string, program: RunningProgram): ProgramError {
  const { stack, ...error } = JSON.parse(told) as Omit<ProgramError, "frames" | "excerpt"> & { stack?: string };
  const frames = framesOf(stack ?? "", program);
  const [innermost] = frames;
  const excerpt = innermost && program.excerpt(innermost.line, innermost.column);
  return { ...error, frames, ...(excerpt !== undefined && { excerpt }) };
}

const MAX_FRAMES = 20;

/** Only those of the program itself: not of the prelude, the engine, or an earlier program. */
function framesOf(stack: string, program: RunningProgram): ProgramError["frames"] {
  const frames: { name?: string; line: number; column: number }[] = [];
  for (const line of stack.split("\n")) {
    const at = line.match(/^ *at (?:(.*) \()?([^\s():]+):(\d+):(\d+)\)?$/);
    if (!at || at[2] !== program.fileName || frames.length === MAX_FRAMES) continue;
    const place = program.place(Number(at[3]), Number(at[4]));
    const isNamed = at[1] !== undefined && !at[1].startsWith("<");
    frames.push({ ...(isNamed && { name: at[1] }), line: place.line, column: place.column });
  }
  return frames;
}
