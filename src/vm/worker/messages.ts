/** What the host's thread and a worker of the VM say to each other: a message each way for a turn, and none for a call. */
import type { MessagePort } from "node:worker_threads";
import type { ProgramInput, ProgramLimits } from "../../core/program.ts";
import type { Delivery } from "../machine/delivery.ts";

export interface WorkerSetup {
  /** Where answers to writes come in, while the worker's own loop stands still. */
  answers: MessagePort;
  /** Changes when an answer is there, or somebody aborts. */
  bell: SharedArrayBuffer;
}

/** The number is the session's. `start`, `settle` and `leave` are answered in the order in which they are sent. */
export type ToWorker =
  | readonly ["open", session: number, limits: ProgramLimits, abortFlag: SharedArrayBuffer]
  | readonly ["start", session: number, program: ProgramInput]
  | SettleMessage
  | string
  | readonly ["leave", session: number]
  | readonly ["close", session: number];

export type SettleMessage = readonly ["settle", session: number, isReplay: boolean, deliveries: readonly Delivery[]];

/** A text between threads costs half of what a list does, until it is so long that writing it twice costs more. */
const LONGEST_AS_TEXT = 10_000;

/** As JSON, where that is cheaper. */
export function settleMessage(session: number, isReplay: boolean, deliveries: readonly Delivery[]): ToWorker {
  const message: SettleMessage = ["settle", session, isReplay, deliveries];
  let length = 0;
  for (const [, , , text] of deliveries) length += text?.length ?? 0;
  return length < LONGEST_AS_TEXT ? JSON.stringify(message) : message;
}

/** A text is a turn. */
export type FromWorker =
  | string
  | readonly ["ready"]
  | readonly ["write", session: number, question: number, object: string, property: string, value: string | undefined];

export type Answer = readonly [question: number, text: string | undefined];
