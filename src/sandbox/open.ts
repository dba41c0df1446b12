/** A sandbox by its name. */
import { HaftError } from "../base/errors.ts";
import type { Sandbox } from "../core/sandbox.ts";
import { isolated, isolatedProvider } from "./isolated/index.ts";
import { local } from "./local/index.ts";
import { openVirtual, virtual } from "./virtual/index.ts";

/**
 * - "isolated": real commands that can write only in `cwd`, without network. Linux with bubblewrap.
 * - "virtual": a simulated shell over `cwd`, whose writes are held back.
 * - "auto": isolated where that is possible here, else virtual; `summary` says which and why.
 * - "local": real commands with your rights. It has to be named.
 *
 * @throws HaftError `SANDBOX_UNKNOWN`, `SANDBOX_MISSING`, `SANDBOX_UNAVAILABLE`
 */
export async function openSandbox(name: string, { cwd }: { cwd: string }): Promise<Sandbox> {
  switch (name) {
    case "auto":
      return auto(cwd);
    case "isolated":
      return isolated({ cwd });
    case "virtual":
      return virtual({ cwd });
    case "local":
      return local({ cwd });
    default:
      throw new HaftError("SANDBOX_UNKNOWN", `There is no sandbox "${name}"`, {
        hint: "There are: auto, isolated, virtual, local.",
      });
  }
}

async function auto(cwd: string): Promise<Sandbox> {
  const { ok, problems } = await isolatedProvider().check();
  if (ok) return isolated({ cwd });
  return openVirtual({ cwd }, `"auto" chose it: ${problems[0]}`);
}
