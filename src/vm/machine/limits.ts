/** The limits of a session, checked and filled up. */
import { HaftError } from "../../base/errors.ts";
import type { ProgramLimits } from "../../core/program.ts";

const MIB = 1_024 * 1_024;

export const defaultLimits: Readonly<ProgramLimits> = {
  cpuMs: 5_000,
  wallMs: Number.POSITIVE_INFINITY,
  memoryMb: 64,
  stackKb: 512,
  calls: 10_000,
  argumentBytes: 4 * MIB,
  resultBytes: 4 * MIB,
  logBytes: 64 * 1_024,
};

export function limitsOf(given: Partial<ProgramLimits> = {}): ProgramLimits {
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...defaultLimits, ...Object.fromEntries(set) };
}

/** @throws HaftError `OPTIONS_INVALID` for a limit that there is not, or that is no positive number */
export function checkedLimits(limits: Partial<ProgramLimits>): Partial<ProgramLimits> {
  const known = Object.keys(defaultLimits);
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
