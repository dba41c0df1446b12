/** The process that begins the program of the demo: started, listened to, and killed while its program waits. */
import { type ChildProcess, fork } from "node:child_process";
import type { RunEvent } from "../../core/log.ts";

/** In the build, and for sources the one of the build: a process of its own cannot load TypeScript. */
const entry = new URL(
  import.meta.url.endsWith(".ts") ? "../../../dist/cli/demo/first-process-main.js" : "./first-process-main.js",
  import.meta.url,
);

export interface FirstProcessOptions {
  folder: string;
  session: string;
  prompt: string;
  paceMs: number;
}

/** What it sends: each event of its run, and at last whether its program waits for an answer. */
export type Sent = { event: RunEvent } | { waits: boolean };

export class FirstProcess {
  readonly #child: ChildProcess;

  constructor(options: FirstProcessOptions) {
    this.#child = fork(entry, [JSON.stringify(options)], { stdio: ["ignore", "ignore", "ignore", "ipc"] });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** False when its run, or the process itself, came to an end without a question. */
  untilItWaits(onEvent: (event: RunEvent) => void): Promise<boolean> {
    return new Promise((resolve) => {
      this.#child.on("message", (sent: Sent) => {
        if ("event" in sent) onEvent(sent.event);
        else resolve(sent.waits);
      });
      this.#child.once("error", () => resolve(false)).once("exit", () => resolve(false));
    });
  }

  /** Gives the signal that ended it. */
  kill(): Promise<NodeJS.Signals | null> {
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== null || signalCode !== null) return Promise.resolve(signalCode);
    return new Promise((resolve) => {
      this.#child.once("exit", (_code, signal) => resolve(signal));
      this.#child.kill("SIGKILL");
    });
  }
}
