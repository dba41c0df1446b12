/** The kinds of sandboxes: how each is opened over a folder, and whether it is present on this machine. */
import type { EgressPolicy } from "../../../src/core/egress.ts";
import type { Sandbox } from "../../../src/core/sandbox.ts";
import { egress } from "../../../src/sandbox/egress/index.ts";
import { ControlGroup } from "../../../src/sandbox/isolated/control-group.ts";
import { isolated, isolatedProvider } from "../../../src/sandbox/isolated/index.ts";
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
    open: (cwd, allowed) => virtual({ cwd, egress: allowed && policyFor(allowed) }),
  },
  {
    name: "isolated",
    holdsBack: false,
    missing: async () => (await isolatedProvider().check()).problems[0],
    open: (cwd, allowed) => isolated({ cwd, egress: allowed && policyFor(allowed) }),
  },
];

/** A policy that allows a single port of this machine. */
function policyFor({ port }: { port: number }): EgressPolicy {
  return egress({ rules: [{ action: "allow", host: "127.0.0.1", ports: [port] }] });
}

export async function lookAround(): Promise<Here> {
  const group = ControlGroup.create({ memoryMb: 64, processes: 16 });
  await group?.remove();
  return {
    isRoot: process.getuid?.() === 0,
    hasPidNamespace: (await detectPidNamespace()) !== undefined,
    hasControlGroup: group !== undefined,
  };
}

/** `HAFT_REQUIRE=isolated`: a kind that must not be skipped, here or in CI. */
export function isRequired(kind: Kind): boolean {
  return (process.env.HAFT_REQUIRE ?? "").split(",").includes(kind.name);
}
