/** The guest's prelude: everything that is in an engine before a program is, as one text. */
import { guestCodecSource } from "../guest-codec.ts";
import { guestCalls } from "./calls.ts";
import { guestConsoleAndTimers } from "./console-and-timers.ts";
import { guestDescribeError } from "./describe-error.ts";
import { guestObjects } from "./objects.ts";
import { OPCODES } from "./opcodes.ts";
import { guestPrimordials } from "./primordials.ts";
import { guestProgram } from "./program.ts";
import { guestRandom } from "./random.ts";
import { guestTextAndClone } from "./text-and-clone.ts";
import { guestUrl } from "./url.ts";

/** What the host calls in the guest. */
export const entryNames = [
  ...["prepare", "seedRandom", "run", "finish", "keepScope", "describeKept", "describeError"],
  ...["resolveCall", "resolveEncoded", "rejectCall", "fireTimer", "forgetCalls", "forgetTimers"],
] as EntryName[];

export type EntryName =
  | "prepare"
  | "seedRandom"
  | "run"
  | "finish"
  | "keepScope"
  | "describeKept"
  | "describeError"
  | "resolveCall"
  | "resolveEncoded"
  | "rejectCall"
  | "fireTimer"
  | "forgetCalls"
  | "forgetTimers";

const opcodes = Object.entries(OPCODES).map(([name, code]) => `${name} = ${code}`);

/** The codec is made after URL, which it knows by its class. */
export const prelude = `(function (host) {
"use strict";
const ${opcodes.join(", ")};
${guestPrimordials}
${guestUrl}
const { encode, decode } = (${guestCodecSource})({ encode: toBase64, decode: fromBase64 });
${guestCalls}
${guestConsoleAndTimers}
${guestRandom}
${guestTextAndClone}
${guestObjects}
${guestDescribeError}
${guestProgram}
return { ${entryNames.join(", ")} };
})`;
