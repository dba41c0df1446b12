/** One worker thread and the sessions in it: turns are sent in order, answered in order, and killed when they overstay. */
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import { TICK_MS, unwatch, watch } from "../../base/watchdog.ts";
import type { ProgramDone } from "../../core/program.ts";
import type { FromWorker, ToWorker } from "./messages.ts";
import type { WorkerSession } from "./worker-session.ts";

/** In the build, and for sources the one of the build: a thread cannot load TypeScript. */
const entry = new URL(
  import.meta.url.endsWith(".ts") ? "../../../dist/vm/worker-main.js" : "../worker-main.js",
  import.meta.url,
);

/** Beyond the limit on computing, which the guest is asked to keep first. */
const GRACE_MS = 1_000;
const ABORT_GRACE_MS = 200;

/** A turn that was sent, and not answered so far. */
interface SentTurn {
  session: WorkerSession;
  resolve(text: string): void;
}

export class WorkerThread {
  readonly sessions = new Map<number, WorkerSession>();
  readonly #ready: Promise<void>;
  #begun!: () => void;
  place?: number | undefined;
  readonly #worker: Worker;
  readonly #answers: MessagePort;
  readonly #bell = new SharedArrayBuffer(4);
  readonly #sent: SentTurn[] = [];
  #isReady = false;
  /** Since when the first of the sent turns computes. */
  #headSince = 0;
  #isAnsweringWrite = false;
  readonly #onEnd: (thread: WorkerThread) => void;

  constructor(onEnd: (thread: WorkerThread) => void) {
    this.#onEnd = onEnd;
    this.#ready = new Promise((resolve) => {
      this.#begun = resolve;
    });
    const { port1, port2 } = new MessageChannel();
    this.#answers = port1;
    port1.unref();
    this.#worker = new Worker(entry, {
      workerData: { answers: port2, bell: this.#bell },
      transferList: [port2],
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
    });
    this.#worker.on("message", (message: FromWorker) => this.#receive(message));
    this.#worker.on("error", (error) =>
      this.#end({ type: "lost", message: `The VM's thread has failed: ${error.message}` }),
    );
    this.#worker.on("exit", () => this.#end({ type: "lost", message: "The VM's thread has ended" }));
    this.#worker.unref(); // after its listeners, which would hold the process again
  }

  /** Resolves when it has begun, or has ended before it could. Keeps the process alive until then. */
  async ready(): Promise<void> {
    if (this.#isReady) return;
    this.#worker.ref();
    await this.#ready;
    this.#worker.unref();
  }

  post(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  /** The answer's text. Keeps the process alive until it is there. */
  turn(session: WorkerSession, message: ToWorker): Promise<string> {
    return new Promise((resolve) => {
      if (this.#sent.length === 0) {
        this.#headSince = Date.now();
        watch(this);
      }
      this.#sent.push({ session, resolve });
      this.post(message);
    });
  }

  /** The session's flag is set; whoever waits for the session's turn shall not wait for another's. */
  abort(session: WorkerSession): void {
    this.#ring();
    const turn = this.#sent.find((sent) => sent.session === session);
    if (!turn) return;
    if (turn === this.#sent[0] && this.#isReady) {
      setTimeout(() => {
        if (this.#sent[0] === turn) this.kill({ type: "aborted" });
      }, ABORT_GRACE_MS);
    } else turn.resolve(textOf({ type: "aborted" }));
  }

  close(): Promise<number> {
    return this.#worker.terminate();
  }

  /** The first sent turn is done in this way, all other sessions are lost. */
  kill(done: ProgramDone): void {
    void this.#worker.terminate();
    this.#end(done);
  }

  /** By the watchdog, as long as a turn is out. */
  check(now: number): void {
    const head = this.#sent[0];
    if (!head || !this.#isReady || this.#isAnsweringWrite) return;
    const { cpuMs } = head.session.limits;
    if (now - this.#headSince < cpuMs + GRACE_MS + TICK_MS) return;
    const message = `The program computed for longer than ${cpuMs.toLocaleString("en-US")} ms, and could not be interrupted`;
    this.kill({ type: "limit", limit: "cpuMs", message });
  }

  #receive(message: FromWorker): void {
    if (typeof message === "string") {
      this.#headSince = Date.now();
      const sent = this.#sent.shift();
      if (this.#sent.length === 0) unwatch(this);
      sent?.resolve(message);
    } else if (message[0] === "ready") {
      this.#isReady = true;
      this.#begun();
      this.#headSince = Date.now();
    } else void this.#answer(message);
  }

  async #answer([, number, question, object, property, value]: Extract<FromWorker, readonly ["write", ...unknown[]]>) {
    this.#isAnsweringWrite = true;
    const session = this.sessions.get(number);
    const text = session ? await session.ask(object, property, value) : "!The session is closed";
    this.#isAnsweringWrite = false;
    this.#headSince = Date.now();
    this.#answers.postMessage([question, text]);
    this.#ring();
  }

  #ring(): void {
    const rings = new Int32Array(this.#bell);
    Atomics.add(rings, 0, 1);
    Atomics.notify(rings, 0);
  }

  /** Once: also a killed worker tells that it has ended. */
  #end(done: ProgramDone): void {
    const lost: ProgramDone = {
      type: "lost",
      message: "The VM's thread was ended because of another session's program",
    };
    const [head, ...others] = this.#sent.splice(0);
    unwatch(this);
    this.#begun();
    this.#onEnd(this);
    for (const session of this.sessions.values()) session.end();
    head?.resolve(textOf(done));
    for (const { resolve } of others) resolve(textOf(lost));
    this.sessions.clear();
  }
}

function textOf(done: ProgramDone): string {
  return JSON.stringify({ calls: [], timers: [], prints: [], done });
}
