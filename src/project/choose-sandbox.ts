/** Opens the sandbox that flags and settings name. */
import { HaftError } from "../base/errors.ts";
import { nearest } from "../core/names.ts";
import type { Sandbox } from "../core/sandbox.ts";

const known = ["auto", "isolated", "virtual", "local"];

/** @throws HaftError SANDBOX_UNKNOWN, before anything is opened. */
export function checkSandboxName(name: string): void {
  if (known.includes(name)) return;
  const near = nearest(name, known);
  throw new HaftError("SANDBOX_UNKNOWN", `There is no sandbox "${name}".`, {
    hint: `${near ? `Did you mean "${near}"? ` : ""}Sandboxes are ${known.join(", ")}.`,
    data: { known },
  });
}

export async function openProjectSandbox(name: string, cwd: string): Promise<Sandbox> {
  checkSandboxName(name);
  const { openSandbox } = await import("../sandbox/index.ts");
  return openSandbox(name, { cwd });
}
