/** Real files and real commands of this machine, with the rights of whoever runs the program. */
import { stat } from "node:fs/promises";
import { codeOf, HaftError } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import type { ExecHandle, ExecOptions, ExecResult, Sandbox, SandboxCapabilities } from "../../core/sandbox.ts";
import { CollectedOutput } from "../process/collected-output.ts";
import type { Containment } from "../process/containment.ts";
import { OutputQueue } from "../process/output-queue.ts";
import { processHandle } from "../process/process-handle.ts";
import { type RunningProcess, runProcess } from "../process/run-process.ts";
import type { ConfinedRoot } from "./confined-root.ts";
import { checkedEnvironment } from "./environment.ts";
import { argvOf, type Command, checkCommand, checkedLimits } from "./exec-request.ts";
import { LocalFiles } from "./local-files.ts";

export interface LocalSandboxParts {
  root: ConfinedRoot;
  /** All that a command gets, beside what its own call adds. */
  env: Record<string, string>;
  containment: Containment;
}

export class LocalSandbox extends LocalFiles implements Sandbox {
  readonly id = newId("sandbox");
  readonly kind = "local";
  readonly cwd: string;
  readonly capabilities: SandboxCapabilities;
  readonly summary: string;
  readonly #parts: LocalSandboxParts;
  readonly #running = new Set<RunningProcess>();
  #disposed = false;

  constructor(parts: LocalSandboxParts) {
    super(parts.root);
    this.#parts = parts;
    this.cwd = parts.root.root;
    this.capabilities = capabilitiesOf(parts.containment, this.cwd);
    this.summary = `local: real commands with your rights in ${this.cwd}; the file API stays inside it, commands do not`;
  }

  async exec(command: Command, options: ExecOptions = {}): Promise<ExecResult> {
    return (await this.#launch(command, options, options.stdin)).result;
  }

  async start(command: Command, options: ExecOptions = {}): Promise<ExecHandle> {
    const queue = new OutputQueue(checkedLimits(options).maxOutputBytes);
    const onOutput: ExecOptions["onOutput"] = (chunk) => {
      queue.push(chunk);
      options.onOutput?.(chunk);
    };
    const running = await this.#launch(command, { ...options, onOutput }, "open");
    if (options.stdin) running.stdin?.write(options.stdin);
    return processHandle(running, queue);
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
    const running = [...this.#running];
    for (const process of running) process.stop("aborted");
    await Promise.allSettled(running.map((process) => process.result));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }

  /** Refuses what nobody should have asked for; whatever else goes wrong is a result. */
  async #launch(
    command: Command,
    options: ExecOptions,
    stdin: Uint8Array | "open" | undefined,
  ): Promise<RunningProcess> {
    checkCommand(command);
    const limits = checkedLimits(options);
    const env = { ...this.#parts.env, ...checkedEnvironment(options.env ?? {}) };
    const folder = await workingFolder(this.#parts.root, options.cwd ?? ".");
    const argv = "error" in folder ? undefined : await argvOf(command, folder.cwd, env.PATH);
    if (this.#disposed) throw disposedError(this.summary);
    if ("error" in folder) return neverStarted(folder.error);
    if (!argv) return neverStarted(`${command[0]} was not found as a program on the PATH of the sandbox, ${env.PATH}.`);

    const running = runProcess({
      command: argv,
      cwd: folder.cwd,
      env,
      stdin,
      ...limits,
      abortSignal: options.abortSignal,
      onOutput: options.onOutput,
      containment: this.#parts.containment,
    });
    this.#running.add(running);
    const forget = () => this.#running.delete(running);
    running.result.then(forget, forget);
    return running;
  }
}

/** A place outside the root is refused; a place that is no folder is a reason why the command did not start. */
async function workingFolder(root: ConfinedRoot, path: string): Promise<{ cwd: string } | { error: string }> {
  try {
    const cwd = await root.realPath(path);
    if ((await stat(cwd)).isDirectory()) return { cwd };
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === "ENOENT") return { error: `The folder ${path}, in which the command should run, does not exist.` };
    if (code !== "ENOTDIR") throw thrown;
  }
  return { error: `${path}, in which the command should run, is not a folder.` };
}

function neverStarted(error: string): RunningProcess {
  const result: ExecResult = {
    status: "spawn_error",
    exitCode: null,
    signal: null,
    ...new CollectedOutput(0).fields(),
    durationMs: 0,
    error,
  };
  return { result: Promise.resolve(result), stdin: null, stop() {} };
}

function disposedError(summary: string): HaftError {
  return new HaftError("SANDBOX_DISPOSED", `This sandbox has been disposed of (${summary}).`, {
    hint: "Open a new one, and dispose of it after the last command.",
  });
}

function capabilitiesOf(containment: Containment, cwd: string): SandboxCapabilities {
  return {
    realProcesses: true,
    streaming: true,
    byteOutput: true,
    background: true,
    overlay: false,
    mount: "none",
    isolates: { files: false, network: false, processes: false },
    limits: { memory: false, processes: false, disk: false, cpu: false },
    notes: notesOf(containment, cwd),
  };
}

function notesOf(containment: Containment, cwd: string): string[] {
  const notes = [
    "Commands run on the user's own machine, with the user's rights and network: they are not isolated.",
    `File tools reach only what is inside ${cwd}; commands are not held to that.`,
    "Each command runs in a fresh shell: variables, cd and background jobs do not outlive it.",
  ];
  if (containment.kind === "pid-namespace") {
    notes.push("Commands see only their own processes.");
    const isRoot = process.getuid?.() === 0;
    notes.push(
      isRoot ? "What a command mounts is gone when it ends." : "sudo and other set-user-id programs do not work.",
    );
  }
  return notes;
}
