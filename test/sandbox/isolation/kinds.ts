/** The kinds of sandboxes: how each is opened over a folder, and whether it is present on this machine. */
import type { Sandbox } from "../../../src/core/sandbox.ts";
import { local } from "../../../src/sandbox/local/index.ts";
import { detectPidNamespace } from "../../../src/sandbox/process/pid-namespace.ts";
import { virtual, virtualProvider } from "../../../src/sandbox/virtual/index.ts";
import type { Here, KindName } from "./attack.ts";

export interface Kind {
  name: KindName;
  /** Writes into the workspace are held back, so that the host sees none. */
  holdsBack: boolean;
  /** Why it cannot be tried here, or undefined. */
  missing(): Promise<string | undefined>;
  /** `allowed` is the one server that its commands may reach, where there is a policy. */
  open(cwd: string, allowed?: { port: number }): Promise<Sandbox>;
}

export const kinds: readonly Kind[] = [
  {
    name: "local",
    holdsBack: false,
    missing: async () => (process.platform === "win32" ? "the local sandbox needs a POSIX system" : undefined),
    open: (cwd) => local({ cwd }),
  },
  {
    name: "virtual",
    holdsBack: true,
    missing: async () => (await virtualProvider().check()).problems[0],
    open: (cwd) => virtual({ cwd }),
  },
  {
    name: "isolated",
    holdsBack: false,
    missing: async () => "the isolated sandbox is not built yet",
    open: () => Promise.reject(new Error("the isolated sandbox is not built yet")),
  },
];

export async function lookAround(): Promise<Here> {
  return { isRoot: process.getuid?.() === 0, hasPidNamespace: (await detectPidNamespace()) !== undefined };
}

/** `HAFT_REQUIRE=isolated`: a kind that must not be skipped, here or in CI. */
export function isRequired(kind: Kind): boolean {
  return (process.env.HAFT_REQUIRE ?? "").split(",").includes(kind.name);
}
