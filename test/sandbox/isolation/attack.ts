/** What an attack is: something that code inside a sandbox tries, and what must come of it in each kind of sandbox. */
import type { Scene } from "./scene.ts";

export type KindName = "local" | "virtual" | "isolated";

/**
 * - `blocked`: it got nothing.
 * - `limited`: it was held to a limit, and the host did not feel it.
 * - `killed`: nothing of it is left running.
 * - `ok`: no attack but something that must work, and works.
 * - `escapes`: it had its way. Where this is expected, the threat model says so.
 */
export type Outcome = "blocked" | "limited" | "killed" | "ok" | "escapes";

/** Not tried, with the reason. */
export interface NotApplicable {
  notApplicable: string;
}

export type Expected = Outcome | NotApplicable;

/** What the expectation may depend on, beside the kind. */
export interface Here {
  isRoot: boolean;
  /** The local sandbox can hold commands in a pid namespace of their own. */
  hasPidNamespace: boolean;
  /** The isolated sandbox can hold all processes of a command together. */
  hasControlGroup: boolean;
}

/** What really happened, with something to look at. `fails` is never expected. */
export interface Seen {
  outcome: Outcome | "fails";
  detail: string;
}

export interface Attack {
  id: string;
  /** At most 33 characters: a column of the table. */
  title: string;
  expect: Record<KindName, Expected | ((here: Here) => Expected)>;
  /** Programs without which the attack proves nothing, where programs of the machine can run. */
  needs?: readonly string[];
  /** Left out of `npm test`; a part of `npm run test:sandbox`. */
  isSlow?: boolean;
  /** It plays a second program on the host, which changes the workspace itself. */
  isOnHost?: boolean;
  run(scene: Scene): Promise<Seen>;
}

export function expectationFor(attack: Attack, kind: KindName, here: Here): Expected {
  const expected = attack.expect[kind];
  return typeof expected === "function" ? expected(here) : expected;
}

export function notApplicable(reason: string): NotApplicable {
  return { notApplicable: reason };
}

/** Local is no boundary: what your own shell can do, a command can do. */
export const ONLY_LOCAL_ESCAPES = { local: "escapes", virtual: "blocked", isolated: "blocked" } as const;

export const ALL_BLOCK = { local: "blocked", virtual: "blocked", isolated: "blocked" } as const;

export const ALL_LIMIT = { local: "limited", virtual: "limited", isolated: "limited" } as const;

export const ALL_WORK = { local: "ok", virtual: "ok", isolated: "ok" } as const;

export const NO_PROCESSES = notApplicable("there are no processes");
export const NO_PROGRAMS = notApplicable("no program of the machine can run there");
export const NOTHING_LIMITS = notApplicable("not tried where nothing limits it");
