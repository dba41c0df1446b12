/** What a case of the sandbox contract is made of, and what it is given to work with. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HaftError } from "../../base/errors.ts";
import type { ExecOptions, ExecResult, Sandbox } from "../../core/sandbox.ts";

/** A sandbox to be tested, new and empty. */
export interface ContractSubject {
  sandbox: Sandbox;
  /** Puts a file there, relative to the cwd, in another way than `sandbox.writeFile`: beneath an overlay, for example. */
  seed?(path: string, data: Uint8Array): Promise<void>;
  /** Called when the case is over and the sandbox is disposed of. */
  close?(): Promise<void>;
}

export interface ContractCase {
  name: string;
  /** Runs before the sandbox is made. What it returns runs at the very end. */
  before?(): () => void;
  run(bench: Bench): Promise<void>;
}

/** All codes that a file method may reject with. */
export const FILE_CODES = [
  ...["ENOENT", "EISDIR", "ENOTDIR", "EPERM", "EINVAL", "ENAMETOOLONG"],
  ...["EFBIG", "EROFS", "EEXIST", "ESTALE"],
];

/** Makes the sandbox, runs the case in it and cleans up, whatever happens. */
export async function inSandbox(make: () => Promise<ContractSubject>, contractCase: ContractCase): Promise<void> {
  const after = contractCase.before?.();
  try {
    const subject = await make();
    try {
      await contractCase.run(new Bench(subject));
    } finally {
      await subject.sandbox.dispose();
      await subject.close?.();
    }
  } finally {
    after?.();
  }
}

/** The sandbox of one case, with the few verbs that cases are written in. */
export class Bench {
  readonly sandbox: Sandbox;
  readonly #seed: (path: string, data: Uint8Array) => Promise<void>;

  constructor(subject: ContractSubject) {
    this.sandbox = subject.sandbox;
    this.#seed = subject.seed ?? ((path, data) => subject.sandbox.writeFile(path, data));
  }

  /** Files that are there before anything happens. */
  async given(files: Record<string, string | Uint8Array>): Promise<void> {
    for (const [path, content] of Object.entries(files)) await this.#seed(path, bytes(content));
  }

  write(path: string, content: string | Uint8Array): Promise<void> {
    return this.sandbox.writeFile(path, bytes(content));
  }

  async read(path: string): Promise<string> {
    return text(await this.sandbox.readFile(path));
  }

  /** Makes a symlink, in the one way that every sandbox has. */
  async link(path: string, target: string): Promise<void> {
    const made = await this.sandbox.exec(`ln -s ${quoted(target)} ${quoted(path)}`);
    assert.equal(made.exitCode, 0, `ln -s must work in every sandbox: ${text(made.stderr)}`);
  }

  /** Runs a command that must end by itself with exit code 0, and gives what it wrote to stdout. */
  async output(command: string | readonly string[], options?: ExecOptions): Promise<string> {
    const result = await this.sandbox.exec(command, options);
    assertExited(result, 0);
    return text(result.stdout);
  }
}

export function bytes(content: string | Uint8Array): Uint8Array {
  return typeof content === "string" ? new TextEncoder().encode(content) : content;
}

export function text(content: Uint8Array): string {
  return new TextDecoder().decode(content);
}

export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

export function assertExited(result: ExecResult, exitCode: number): void {
  const seen = `${result.status} ${result.exitCode} ${result.error ?? ""} ${text(result.stderr)}`;
  assert.equal(result.status, "exited", seen);
  assert.equal(result.exitCode, exitCode, seen);
}

/** The call must reject with a HaftError of one of these codes, that says something and what to do next. */
export async function assertRefused(call: Promise<unknown>, ...codes: string[]): Promise<HaftError> {
  const error = await call.then(
    (value) => assert.fail(`expected a refusal (${codes.join(" or ")}), got ${JSON.stringify(value)?.slice(0, 200)}`),
    (thrown: unknown) => thrown,
  );
  if (error instanceof assert.AssertionError) throw error;
  assert.ok(HaftError.is(error), `expected a HaftError, got ${error}`);
  assert.ok(codes.includes(error.code), `expected ${codes.join(" or ")}, got ${error.code}: ${error.message}`);
  assert.ok(error.message.length > 10, "an error says what was wrong, in a sentence");
  assert.ok(`${error.message} ${error.hint ?? ""}`.length > 30, `an error says what to do next: ${error.message}`);
  assert.doesNotMatch(error.message, /\n\s+at /, "an error shows no stack");
  return error;
}

/** A folder of the host with a file that no sandbox may give away, for as long as `action` runs. */
export async function withHostSecret(action: (secret: HostSecret) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "haft-outside-"));
  const content = `outside-${Math.random()}`;
  try {
    await writeFile(join(folder, "secret.txt"), content);
    await action({ folder, file: join(folder, "secret.txt"), content });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export interface HostSecret {
  folder: string;
  file: string;
  content: string;
}
