/** What a command wrote, gathered while it runs: each stream apart, and both in order of arrival. */
import type { ExecResult, OutputChunk } from "../../core/sandbox.ts";
import { HeadAndTail } from "./head-and-tail.ts";

type CollectedFields = Pick<ExecResult, "stdout" | "stderr" | "combined" | "stdoutTotal" | "stderrTotal" | "truncated">;

export class CollectedOutput {
  readonly #stdout: HeadAndTail;
  readonly #stderr: HeadAndTail;
  readonly #combined: HeadAndTail;

  /** `limit`: bytes kept of each of the three. */
  constructor(limit: number) {
    this.#stdout = new HeadAndTail(limit);
    this.#stderr = new HeadAndTail(limit);
    this.#combined = new HeadAndTail(limit);
  }

  /** Bytes written so far, kept or not. */
  get total(): number {
    return this.#combined.total;
  }

  push(chunk: OutputChunk): void {
    const stream = chunk.stream === "stdout" ? this.#stdout : this.#stderr;
    stream.push(chunk.data);
    this.#combined.push(chunk.data);
  }

  fields(): CollectedFields {
    return {
      stdout: this.#stdout.bytes(),
      stderr: this.#stderr.bytes(),
      combined: this.#combined.bytes(),
      stdoutTotal: this.#stdout.total,
      stderrTotal: this.#stderr.total,
      truncated: this.#combined.truncated,
    };
  }
}
