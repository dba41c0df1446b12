/** The probe of dangerous system calls: a C program, built where there is a compiler. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SOURCE = fileURLToPath(new URL("probe.c", import.meta.url));

/** Where the probe is, or undefined without a compiler. A user who has been handed one builds none. */
export function buildProbe(): string | undefined {
  if (process.platform !== "linux") return undefined;
  if (process.env.HAFT_PROBE) return process.env.HAFT_PROBE;
  const folder = mkdtempSync(join(tmpdir(), "haft-probe-"));
  const program = join(folder, "probe");
  chmodSync(folder, 0o755);
  for (const linking of ["-static", "-O1"]) {
    try {
      execFileSync("gcc", ["-w", linking, "-o", program, SOURCE], { stdio: "ignore" });
      return program;
    } catch {
      // The next way, or none.
    }
  }
  return undefined;
}

/** What it must be told: the namespaces in which it refuses to run, and whom to look for. */
export function probeArguments(hostPid: number, socket: string, abstractSocket: string): string[] {
  const namespaces = ["mnt", "pid", "uts"].map((kind) => readlinkSync(`/proc/self/ns/${kind}`));
  return [...namespaces, String(hostPid), socket, abstractSocket];
}

export interface ProbeAnswer {
  asked: number;
  allowed: string[];
}

/** undefined when the text is not the probe's. */
export function probeAnswer(text: string): ProbeAnswer | undefined {
  const lines = [...text.matchAll(/^(\w+)=(allowed|refused)$/gm)];
  if (lines.length === 0) return undefined;
  return {
    asked: lines.length,
    allowed: lines.filter(([, , answer]) => answer === "allowed").map(([, name]) => name!),
  };
}
