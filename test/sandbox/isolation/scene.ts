import { setTimeout as sleep } from "node:timers/promises";
import { HaftError } from "../../../src/base/errors.ts";
import type { ExecOptions, ExecResult, Sandbox } from "../../../src/core/sandbox.ts";
import type { Here, Outcome, Seen } from "./attack.ts";
import type { Kind } from "./kinds.ts";
import type { Neighbours } from "./neighbours.ts";
import { MARK, type Stage } from "./stage.ts";

export interface Ran extends ExecResult {
  /** stdout and stderr as text. */
  out: string;
}

const SECRET = new RegExp(`${MARK}|^root:[!*$x]`, "m");

export class Scene {
  #sandbox: Sandbox;
  readonly #programs = new Map<string, boolean>();

  private constructor(
    readonly kind: Kind,
    readonly here: Here,
    readonly stage: Stage,
    readonly neighbours: Neighbours,
    sandbox: Sandbox,
  ) {
    this.#sandbox = sandbox;
  }

  static async open(kind: Kind, here: Here, stage: Stage, neighbours: Neighbours): Promise<Scene> {
    return new Scene(kind, here, stage, neighbours, await kind.open(stage.workspace, { port: neighbours.allowedPort }));
  }

  get sandbox(): Sandbox {
    return this.#sandbox;
  }

  /** A new sandbox over the same stage: without what a command left in memory. */
  async reopen(): Promise<void> {
    await this.#sandbox.dispose();
    this.#sandbox = await this.kind.open(this.stage.workspace, { port: this.neighbours.allowedPort });
  }

  async exec(command: string | readonly string[], options: ExecOptions = {}): Promise<Ran> {
    const result = await this.sandbox.exec(command, { timeoutMs: 8000, ...options });
    return { ...result, out: text(result.stdout) + text(result.stderr) };
  }

  /** A program that commands in this sandbox can run. */
  async hasProgram(name: string): Promise<boolean> {
    const known = this.#programs.get(name);
    if (known !== undefined) return known;
    const { exitCode } = await this.exec(`command -v ${name}`);
    this.#programs.set(name, exitCode === 0);
    return exitCode === 0;
  }

  /** Runs a command that must not show any secret of the host. */
  async leak(command: string, options?: ExecOptions): Promise<Seen> {
    const { out } = await this.exec(command, options);
    return seen(SECRET.test(out) ? "escapes" : "blocked", out);
  }

  /** Makes a call of the file API that must not show any secret of the host. */
  async ask(call: (sandbox: Sandbox) => Promise<unknown>): Promise<Seen> {
    try {
      const answer = await call(this.sandbox);
      const shown = answer instanceof Uint8Array ? text(answer) : JSON.stringify(answer ?? null);
      return seen(isSecret(shown) ? "escapes" : "blocked", `answered ${shown}`);
    } catch (error) {
      return seen("blocked", describeError(error));
    }
  }
}

export function isSecret(shown: string): boolean {
  return SECRET.test(shown);
}

export function seen(outcome: Outcome | "fails", detail: string): Seen {
  return { outcome, detail: detail.replace(/\s+/g, " ").trim().slice(0, 200) };
}

export function describeError(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  return `${code ?? ""} ${message ?? error}`;
}

/** The call's error code, or "done" when there was none. */
export async function refusal(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "done";
  } catch (error) {
    return HaftError.is(error) ? error.code : describeError(error);
  }
}

export function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

export function bytes(content: string): Uint8Array {
  return new TextEncoder().encode(content);
}

/** Waits until it is true, at most twenty seconds. */
export async function eventually(condition: () => boolean): Promise<boolean> {
  for (const deadline = Date.now() + 20_000; Date.now() < deadline; await sleep(20)) if (condition()) return true;
  return condition();
}

export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
