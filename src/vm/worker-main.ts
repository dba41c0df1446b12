/** The worker's end of the VM: machines of several sessions, one turn after the other. */
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import type { ProgramLimits } from "../core/program.ts";
import { Machine } from "./machine/machine.ts";
import { machineParts } from "./machine/parts.ts";
import type { Answer, FromWorker, ToWorker, WorkerSetup } from "./worker/messages.ts";

const { answers, bell } = workerData as WorkerSetup;
const rings = new Int32Array(bell);
const machines = new Map<number, Machine>();
const parts = await machineParts();
let questions = 0;

parentPort!.on("message", (message: ToWorker) => {
  const answer = act(typeof message === "string" ? JSON.parse(message) : message);
  if (answer !== undefined) say(answer);
});
say(["ready"]);

function say(message: FromWorker): void {
  parentPort!.postMessage(message);
}

function act(message: Exclude<ToWorker, string>): string | undefined {
  const session = message[1];
  const machine = machines.get(session)!;
  switch (message[0]) {
    case "settle":
      return machine.settle(message[3], message[2]);
    case "start":
      return machine.start(message[2]);
    case "leave":
      machine.leave();
      return "";
    case "open":
      machines.set(session, openMachine(session, message[2], message[3]));
      return undefined;
    case "close":
      machine.close();
      machines.delete(session);
      return undefined;
  }
}

function openMachine(session: number, limits: ProgramLimits, abortFlag: SharedArrayBuffer): Machine {
  const flag = new Int32Array(abortFlag);
  const isAborted = () => Atomics.load(flag, 0) !== 0;
  return new Machine({
    ...parts,
    limits,
    isAborted,
    write: (object, property, value) => {
      const question = ++questions;
      say(["write", session, question, object, property, value]);
      return waitForAnswer(question, isAborted);
    },
  });
}

/** Stands still, and the program with it. */
function waitForAnswer(question: number, isAborted: () => boolean): string | undefined {
  while (!isAborted()) {
    const heard = Atomics.load(rings, 0);
    const received = receiveMessageOnPort(answers) as { message: Answer } | undefined;
    if (received?.message[0] === question) return received.message[1];
    if (!received) Atomics.wait(rings, 0, heard, 1_000);
  }
  return undefined;
}
