/** The worker threads of a VM: started when they are needed, shared by sessions, kept for the next. */
import { availableParallelism } from "node:os";
import type { ProgramSession, ProgramSessionOptions, ProgramVm } from "../../core/program.ts";
import { WorkerSession } from "./worker-session.ts";
import { WorkerThread } from "./worker-thread.ts";

const MAX_WORKERS = 4;

export class WorkerPool implements ProgramVm {
  readonly #size: number;
  readonly #threads = new Set<WorkerThread>();
  #sessions = 0;
  #isClosed = false;

  constructor(workers = Math.min(MAX_WORKERS, availableParallelism())) {
    this.#size = Math.max(1, workers);
  }

  async open(options: ProgramSessionOptions): Promise<ProgramSession> {
    this.#isClosed = false;
    const thread = this.#leastLoaded();
    const session = new WorkerSession(thread, ++this.#sessions, options, (left) => this.#left(left));
    await thread.ready(); // the time that a thread takes to begin is not the program's
    return session;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const idle = [...this.#threads].filter((thread) => thread.sessions.size === 0);
    await Promise.all(idle.map((thread) => this.#endThread(thread)));
  }

  /** A new thread only where every other has something to do. */
  #leastLoaded(): WorkerThread {
    const [best] = [...this.#threads].sort((a, b) => a.sessions.size - b.sessions.size);
    if (best && (best.sessions.size === 0 || this.#threads.size >= this.#size)) return best;
    const thread = new WorkerThread((ended) => this.#threads.delete(ended));
    this.#threads.add(thread);
    return thread;
  }

  #left(thread: WorkerThread): void {
    if (this.#isClosed && thread.sessions.size === 0) void this.#endThread(thread);
  }

  #endThread(thread: WorkerThread): Promise<number> {
    this.#threads.delete(thread);
    return thread.close();
  }
}
