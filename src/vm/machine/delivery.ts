/** A settlement on its way into the guest: outputs and errors as text, so that a thread can hand them on unread. */
import type { Settlement, ThrownError } from "../../core/program.ts";
import type { Machine } from "./machine.ts";
import type { ProgramClock } from "./program-clock.ts";

/** The kind, the number of the call or timer, the time, and the text: of the output, or of the error. */
export type Delivery = readonly [kind: number, id: number, at: number, text?: string];

const OUTPUT = 0;
const ERROR = 1;
const TIMER = 2;

export function deliveryOf(settlement: Settlement): Delivery {
  if ("timer" in settlement) return [TIMER, settlement.timer, settlement.at];
  const { id, at } = settlement;
  if (!settlement.ok) return [ERROR, id, at, errorText(settlement.error)];
  return settlement.output === undefined ? [OUTPUT, id, at] : [OUTPUT, id, at, JSON.stringify(settlement.output)];
}

/** Values that are encoded are texts of their own: the guest decodes them one by one. */
function errorText({ data, cause, ...rest }: ThrownError): string {
  return JSON.stringify({ ...rest, data: JSON.stringify(data), cause: JSON.stringify(cause) });
}

/** Gives what is wrong, where the program waits for no such thing. */
export function deliver([kind, id, at, text]: Delivery, machine: Machine, clock: ProgramClock): string | undefined {
  const { program, instance, image } = machine;
  if (kind === TIMER) {
    if (!program?.fireTimer(id)) return `The program has set no timer ${id}, or it has fired before`;
    clock.moveTo(at);
    instance.run(image.entry.fireTimer, instance.numberBox(id));
    return undefined;
  }
  if (!program?.settleCall(id)) return `The program has made no call ${id}, or it has settled before`;
  clock.moveTo(at);
  if (kind === ERROR) reject(machine, id, text!);
  else resolve(machine, id, text);
  return undefined;
}

function resolve(machine: Machine, id: number, text: string | undefined): void {
  const { instance, image, limits } = machine;
  const { resolveCall, resolveEncoded } = image.entry;
  const number = instance.numberBox(id);
  if (text === undefined) instance.run(resolveCall, number, instance.undefinedCopy());
  else if (isLarger(text, limits.resultBytes)) reject(machine, id, tooLarge(text, limits.resultBytes));
  else if (isMoreThanJson.test(text)) instance.run(resolveEncoded, number, instance.stringBox(text));
  else instance.run(resolveCall, number, instance.jsonBox(text));
}

/** Tagged values, and the key that the codec drops. */
const isMoreThanJson = /"(?:\$haft|__proto__)"/;

function isLarger(text: string, bytes: number): boolean {
  return text.length * 3 > bytes && Buffer.byteLength(text) > bytes;
}

/** The text of an error that the program can catch. */
function tooLarge(text: string, limit: number): string {
  const bytes = Buffer.byteLength(text).toLocaleString("en-US");
  const message = `The result has ${bytes} bytes; at most ${limit.toLocaleString("en-US")} are allowed`;
  return JSON.stringify({ name: "RangeError", message });
}

function reject({ instance, image }: Machine, id: number, error: string): void {
  instance.run(image.entry.rejectCall, instance.numberBox(id), instance.stringBox(error));
}
