/** Real files and real commands of this machine: what the kinds that have them share. They differ in what holds a command. */
import { stat } from "node:fs/promises";
import { codeOf, HaftError } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import type { ExecHandle, ExecOptions, ExecResult, Sandbox, SandboxCapabilities } from "../core/sandbox.ts";
import type { ConfinedRoot } from "./files/confined-root.ts";
import { HostFiles } from "./files/host-files.ts";
import { CollectedOutput } from "./process/collected-output.ts";
import type { Containment } from "./process/containment.ts";
import { checkedEnvironment } from "./process/environment.ts";
import { argvOf, type Command, checkCommand, checkedLimits } from "./process/exec-request.ts";
import { OutputQueue } from "./process/output-queue.ts";
import { processHandle } from "./process/process-handle.ts";
import { type RunningProcess, runProcess } from "./process/run-process.ts";

export interface HostSandboxParts {
  id?: string;
  kind: string;
  root: ConfinedRoot;
  /** All that a command gets, beside what its own call adds. */
  env: Record<string, string>;
  containment: Containment;
  capabilities: SandboxCapabilities;
  summary: string;
  /** Called once, when no command runs any more. */
  close?(): Promise<void>;
}

export class HostSandbox extends HostFiles implements Sandbox {
  readonly id: string;
  readonly kind: string;
  readonly cwd: string;
  readonly capabilities: SandboxCapabilities;
  readonly summary: string;
  readonly #parts: HostSandboxParts;
  readonly #running = new Set<RunningProcess>();
  #disposal: Promise<void> | undefined;

  constructor(parts: HostSandboxParts) {
    super(parts.root);
    this.#parts = parts;
    this.id = parts.id ?? newId("sandbox");
    this.kind = parts.kind;
    this.cwd = parts.root.root;
    this.capabilities = parts.capabilities;
    this.summary = parts.summary;
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

  dispose(): Promise<void> {
    this.#disposal ??= this.#dispose();
    return this.#disposal;
  }

  async #dispose(): Promise<void> {
    const running = [...this.#running];
    for (const process of running) process.stop("aborted");
    await Promise.allSettled(running.map((process) => process.result));
    await this.#parts.close?.();
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
    if (this.#disposal) throw disposedError(this.summary);
    if ("error" in folder) return neverStarted(folder.error);
    if (!argv) return neverStarted(`${command[0]} was not found as a program on the PATH of the sandbox, ${env.PATH}.`);

    const hold = await this.#parts.containment.hold({ command: argv, cwd: folder.cwd, env });
    if (this.#disposal) {
      await hold.release();
      throw disposedError(this.summary);
    }
    const { abortSignal, onOutput } = options;
    const running = runProcess({ hold, cwd: folder.cwd, stdin, ...limits, abortSignal, onOutput });
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
