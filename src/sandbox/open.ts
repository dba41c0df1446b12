/** A sandbox by its name. */
import { HaftError } from "../base/errors.ts";
import type { Sandbox } from "../core/sandbox.ts";
import { local } from "./local/index.ts";
import { virtual } from "./virtual/index.ts";

/**
 * "auto" is a virtual overlay of `cwd` for now; "local" is real commands with your rights, and has to be named.
 *
 * @throws HaftError `SANDBOX_UNKNOWN`, `SANDBOX_MISSING`
 */
export async function openSandbox(name: string, { cwd }: { cwd: string }): Promise<Sandbox> {
  switch (name) {
    case "auto":
    case "virtual":
      return virtual({ cwd });
    case "local":
      return local({ cwd });
    default:
      throw new HaftError("SANDBOX_UNKNOWN", `There is no sandbox "${name}"`, {
        hint: "There are: auto, virtual, local.",
      });
  }
}
