/** The one thread of the process in which programs are checked, one after the other, and what happens when it fails. */
import type { Worker } from "node:worker_threads";
import { HaftError, messageOf } from "../../base/errors.ts";
import type { CheckInput, ProgramProblem } from "../../core/program.ts";
import { startWorker } from "./start-worker.ts";

/** What the thread says of a program. */
export type CheckAnswer = { problems: ProgramProblem[] } | { failed: string };

/** One program has this long, the loading of TypeScript included. */
const LIMIT_MS = 30_000;
/** Unused for so long, the thread is ended. */
const IDLE_MS = 60_000;

interface Job {
  program: CheckInput;
  resolve(problems: readonly ProgramProblem[]): void;
  reject(error: HaftError): void;
}

const waiting: Job[] = [];
let current: Job | undefined;
let worker: Worker | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

/** So that TypeScript loads while there is nothing to check yet. */
export function warmUp(): void {
  if (!current) rest();
}

/** @throws HaftError CHECK_FAILED */
export function checkInWorker(program: CheckInput): Promise<readonly ProgramProblem[]> {
  return new Promise((resolve, reject) => {
    waiting.push({ program, resolve, reject });
    next();
  });
}

function next(): void {
  if (current) return;
  current = waiting.shift();
  if (current) begin(current.program);
  else rest();
}

function begin(program: CheckInput): void {
  const running = open();
  running.ref();
  setTimer(LIMIT_MS, () => lost(running, "The check took too long"));
  running.postMessage(program);
}

/** Nothing to do: the process may end, and after a while the thread does. */
function rest(): void {
  const resting = open();
  resting.unref();
  setTimer(IDLE_MS, () => leave(resting));
  timer!.unref();
}

function open(): Worker {
  if (worker) return worker;
  const opened = startWorker();
  opened.on("message", (answer: CheckAnswer) => answered(answer));
  opened.on("error", (thrown) => lost(opened, `The check broke off: ${messageOf(thrown)}`));
  opened.on("exit", () => lost(opened, "The check broke off"));
  worker = opened;
  return opened;
}

function answered(answer: CheckAnswer): void {
  const job = current;
  current = undefined;
  if ("problems" in answer) job?.resolve(answer.problems);
  else job?.reject(failure(answer.failed));
  next();
}

/** Only the program that it was busy with is to blame; the others get a new thread. */
function lost(old: Worker, message: string): void {
  if (worker !== old) return;
  leave(old);
  const job = current;
  current = undefined;
  job?.reject(failure(message));
  if (waiting.length > 0) next();
}

function leave(old: Worker): void {
  if (worker === old) worker = undefined;
  clearTimeout(timer);
  void old.terminate();
}

function setTimer(ms: number, then: () => void): void {
  clearTimeout(timer);
  timer = setTimeout(then, ms);
}

function failure(message: string): HaftError {
  return new HaftError("CHECK_FAILED", `${message.replace(/\.$/, "")}.`, {
    hint: "The program itself may be right: it can run without this check.",
  });
}
