/** How much of everything a program may use. */
import { HaftError } from "../base/errors.ts";
import type { ProgramLimits } from "../core/program.ts";

export const defaultLimits: Omit<ProgramLimits, "wallMs"> = {
  cpuMs: 5_000,
  memoryMb: 64,
  stackKb: 512,
  calls: 10_000,
  argumentBytes: 4 * 1024 * 1024,
  resultBytes: 4 * 1024 * 1024,
  logBytes: 64 * 1024,
};

/** @throws HaftError `OPTIONS_INVALID` for a limit that there is not, or that is no positive number */
export function checkedLimits(limits: Partial<ProgramLimits>): Partial<ProgramLimits> {
  const known = [...Object.keys(defaultLimits), "wallMs"];
  for (const [name, value] of Object.entries(limits)) {
    if (!known.includes(name)) {
      throw new HaftError("OPTIONS_INVALID", `There is no limit "${name}" for programs`, {
        hint: `The limits are: ${known.join(", ")}.`,
      });
    }
    if (value !== undefined && !(typeof value === "number" && value > 0)) {
      throw new HaftError("OPTIONS_INVALID", `The limit ${name} is ${JSON.stringify(value)}`, {
        hint: "Give a number above 0, or leave it out.",
      });
    }
  }
  return limits;
}
