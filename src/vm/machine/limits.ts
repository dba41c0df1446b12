/** The limits of a session, filled up. */
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
