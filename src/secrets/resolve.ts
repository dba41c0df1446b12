/** Asks each source for its value, all at once. The first that fails ends the others. */
import { readFile, stat } from "node:fs/promises";
import { resolve as resolvePath } from "node:path";
import { codeOf, HaftError } from "../base/errors.ts";
import type { SecretKind, SecretProvider, SecretSource } from "../core/secrets.ts";
import { readSource, type Source } from "./read-source.ts";
import { MOST_BYTES, runProgram } from "./run-program.ts";

export interface Resolved {
  name: string;
  value: string;
  source: SecretKind;
  tools: readonly string[] | undefined;
}

export interface ResolveAround {
  cwd: string;
  abortSignal: AbortSignal;
}

/** How long a program or a provider may take that does not say. Milliseconds; as long as 1Password may need for a person. */
const DEFAULT_TIMEOUT_MS = 30_000;

/** @throws HaftError `SECRET_SOURCE_INVALID`, `SECRET_MISSING`, `SECRET_FAILED` */
export async function resolveAll(
  sources: Readonly<Record<string, SecretSource>>,
  { cwd, abortSignal }: ResolveAround,
): Promise<Resolved[]> {
  const known = Object.entries(sources).map(([name, source]) => readSource(name, source));
  const others = new AbortController();
  const around = { cwd, abortSignal: AbortSignal.any([abortSignal, others.signal]) };
  try {
    return await Promise.all(known.map((source) => resolveOne(source, around)));
  } finally {
    others.abort();
  }
}

async function resolveOne(source: Source, around: ResolveAround): Promise<Resolved> {
  const { name, kind, tools } = source;
  return { name, value: await read(source, around), source: kind, tools };
}

function read(source: Source, { cwd, abortSignal }: ResolveAround): string | Promise<string> {
  const { name } = source;
  switch (source.kind) {
    case "static":
      return source.value;
    case "env":
      return (
        process.env[source.variable] ||
        missing(name, `the variable ${source.variable}, which is not set`, `Set ${source.variable}`)
      );
    case "file":
      return fromFile(name, resolvePath(cwd, source.path));
    case "op":
    case "command":
      return fromProgram(source, abortSignal);
    case "provider":
      return fromProvider(name, source.resolve, abortSignal);
  }
}

async function fromFile(name: string, path: string): Promise<string> {
  let text: string;
  try {
    if ((await stat(path)).size > MOST_BYTES) throw failed(name, `its file ${path} is larger than 64 KiB`);
    text = await readFile(path, "utf8");
  } catch (error) {
    if (HaftError.is(error)) throw error;
    throw failed(name, `its file ${path} could not be read (${codeOf(error) ?? "unknown"})`);
  }
  return withoutLineBreak(text) || missing(name, `the file ${path}, which is empty`, `Write it to ${path}`);
}

async function fromProgram(
  source: Extract<Source, { kind: "op" | "command" }>,
  abortSignal: AbortSignal,
): Promise<string> {
  const { name, argv, env, timeoutMs = DEFAULT_TIMEOUT_MS } = source;
  const { problem, stdout } = await runProgram(argv, { env, timeoutMs, abortSignal });
  // What the program said is not repeated: it may hold the value.
  if (problem) throw failed(name, `its program "${argv[0]}" ${problem}`);
  return (
    withoutLineBreak(stdout) ||
    missing(name, `the program "${argv[0]}", which wrote nothing`, "Make it write the value")
  );
}

async function fromProvider(name: string, resolve: SecretProvider["resolve"], outer: AbortSignal): Promise<string> {
  const abortSignal = AbortSignal.any([outer, AbortSignal.timeout(DEFAULT_TIMEOUT_MS)]);
  let value: unknown;
  try {
    value = await orAborted(Promise.resolve(resolve(name, { abortSignal })), abortSignal);
  } catch (error) {
    const isLate = abortSignal.aborted && !outer.aborted;
    throw failed(name, isLate ? "its provider did not answer within 30 s" : `its provider failed (${kindOf(error)})`);
  }
  if (typeof value !== "string") throw failed(name, "its provider gave no text");
  return value || missing(name, "its provider, which gave an empty text", "Make it give the value");
}

/** A provider may take no note of the signal. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/** What kind of error it is: its message may hold the value. */
function kindOf(error: unknown): string {
  const name = error instanceof Error ? error.constructor.name : typeof error;
  return /^\w{1,40}$/.test(name) ? name : "Error";
}

function withoutLineBreak(text: string): string {
  return text.replace(/(?:\r?\n)+$/, "");
}

function missing(name: string, from: string, step: string): never {
  throw new HaftError("SECRET_MISSING", `Secret "${name}" is to come from ${from}`, {
    hint: `${step}, or leave the secret out.`,
  });
}

function failed(name: string, what: string): HaftError {
  return new HaftError("SECRET_FAILED", `Secret "${name}" could not be resolved: ${what}`, {
    hint: "What the source itself says is not shown, because it may hold the value. Ask it by hand.",
  });
}
