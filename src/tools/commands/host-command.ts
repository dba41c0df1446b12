/** Runs a granted program on the host, outside of the sandbox: its process group ends with it, and its environment is exact. */
import { type ChildProcess, spawn } from "node:child_process";
import { messageOf } from "../../base/errors.ts";
import type { ExecOptions, ExecResult, ExecStatus, OutputChunk } from "../../core/sandbox.ts";
import { ByteList } from "./byte-list.ts";

const DEFAULTS = { timeoutMs: 120_000, maxOutputBytes: 1024 * 1024, hardOutputBytes: 1024 * 1024 * 1024 };
/** Beside these, a program on the host gets only what it is given. */
const KEPT = ["PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ"];
const GRACE_MS = 500;
/** A background child can hold a pipe open for ever. */
const QUIET_MS = 250;

/** `command` is a program and its arguments, `options.cwd` an absolute folder. Never rejects for what the command did. */
export async function hostCommand(command: readonly string[], options: ExecOptions): Promise<ExecResult> {
  return new HostRun(command, options).result;
}

export function hostEnvironment(env: Readonly<Record<string, string>> = {}): Record<string, string> {
  const kept = KEPT.flatMap((name) => (process.env[name] ? [[name, process.env[name]!] as const] : []));
  return { PATH: "/usr/local/bin:/usr/bin:/bin", ...Object.fromEntries(kept), ...env };
}

class HostRun {
  readonly result: Promise<ExecResult>;
  readonly #options: ExecOptions;
  readonly #maxBytes: number;
  readonly #lists = { stdout: new ByteList(), stderr: new ByteList(), combined: new ByteList() };
  readonly #totals = { stdout: 0, stderr: 0 };
  readonly #startedAt = performance.now();
  readonly #timers: NodeJS.Timeout[] = [];
  #child: ChildProcess | undefined;
  #stopped: ExecStatus | undefined;
  #settle!: (result: ExecResult) => void;

  constructor(command: readonly string[], options: ExecOptions) {
    this.#options = options;
    this.#maxBytes = options.maxOutputBytes ?? DEFAULTS.maxOutputBytes;
    this.result = new Promise((resolve) => {
      this.#settle = resolve;
    });
    if (options.abortSignal?.aborted) this.#finish("aborted");
    else this.#start(command);
  }

  #start([program = "", ...args]: readonly string[]): void {
    const { cwd, env, timeoutMs = DEFAULTS.timeoutMs, abortSignal } = this.#options;
    let child: ChildProcess;
    try {
      child = spawn(program, args, {
        cwd,
        env: hostEnvironment(env),
        detached: true,
        stdio: ["ignore", "pipe", "pipe"],
      });
    } catch (error) {
      this.#finish("spawn_error", { error: messageOf(error) });
      return;
    }
    this.#child = child;
    const onAbort = () => this.#stop("aborted");
    abortSignal?.addEventListener("abort", onAbort, { once: true });
    if (Number.isFinite(timeoutMs)) this.#timers.push(setTimeout(() => this.#stop("timeout"), timeoutMs));
    child.on("error", () => this.#finish("spawn_error", { error: `${program} could not be started on the host.` }));
    child.stdout?.on("data", (data: Buffer) => this.#take({ stream: "stdout", data }));
    child.stderr?.on("data", (data: Buffer) => this.#take({ stream: "stderr", data }));
    child.on("exit", (exitCode, signal) => {
      abortSignal?.removeEventListener("abort", onAbort);
      this.#kill("SIGKILL");
      const end = () => this.#finish(this.#stopped ?? (signal ? "signaled" : "exited"), { exitCode, signal });
      child.once("close", end);
      this.#timers.push(setTimeout(end, QUIET_MS));
    });
  }

  #take(chunk: OutputChunk): void {
    this.#totals[chunk.stream] += chunk.data.length;
    for (const list of [this.#lists[chunk.stream], this.#lists.combined]) {
      list.add(chunk.data.subarray(0, Math.max(0, this.#maxBytes - list.size)));
    }
    this.#options.onOutput?.(chunk);
    const most = this.#options.hardOutputBytes ?? DEFAULTS.hardOutputBytes;
    if (this.#totals.stdout + this.#totals.stderr > most) this.#stop("output_limit");
  }

  #stop(status: ExecStatus): void {
    if (this.#stopped) return;
    this.#stopped = status;
    this.#kill("SIGTERM");
    this.#timers.push(setTimeout(() => this.#kill("SIGKILL"), GRACE_MS));
  }

  /** The whole group: a process that leaves it outlives it. */
  #kill(signal: NodeJS.Signals): void {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // It is gone.
    }
  }

  /** Only the first time counts. */
  #finish(status: ExecStatus, more: { exitCode?: number | null; signal?: string | null; error?: string } = {}): void {
    for (const timer of this.#timers) clearTimeout(timer);
    const { stdout, stderr, combined } = this.#lists;
    this.#settle({
      status,
      exitCode: status === "exited" ? (more.exitCode ?? null) : null,
      signal: status === "signaled" ? (more.signal ?? null) : null,
      stdout: stdout.bytes(),
      stderr: stderr.bytes(),
      combined: combined.bytes(),
      stdoutTotal: this.#totals.stdout,
      stderrTotal: this.#totals.stderr,
      truncated: this.#totals.stdout + this.#totals.stderr > combined.size,
      durationMs: performance.now() - this.#startedAt,
      ...(more.error !== undefined && { error: more.error }),
    });
  }
}
