/** What was piped in: the task, or what belongs to it. */
import { fstatSync } from "node:fs";
import { usageError } from "./exit-codes.ts";

/** Bytes that are taken over. */
const MAX_BYTES = 512 * 1024;
/** Milliseconds after which a pipe that says nothing is worth a word. */
const PATIENCE = 3000;

export interface PipedInput {
  text: string;
  /** A sentence, when not all of it was taken over. */
  note?: string;
}

/**
 * Reads standard input to its end when something is piped in; undefined when nothing is, or it is empty.
 *
 * A program that starts this one often leaves a socket open as its standard input and never writes to it. So a silent
 * socket is given up after three seconds, unless `required`; a pipe of the shell is waited for.
 */
export async function readPipedInput(required: boolean, tell: (note: string) => void): Promise<PipedInput | undefined> {
  const kind = kindOfInput();
  if (kind === "none") return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  const timer = setTimeout(() => {
    if (kind === "socket" && !required) {
      tell("Nothing came on standard input for 3 s: going on without it. --stdin waits for it.");
      process.stdin.destroy();
    } else {
      tell("Waiting for standard input to end.");
    }
  }, PATIENCE);
  try {
    for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
      clearTimeout(timer);
      size += chunk.length;
      if (size - chunk.length < MAX_BYTES) chunks.push(chunk);
    }
  } catch (thrown) {
    // Given up above.
    if ((thrown as NodeJS.ErrnoException).code !== "ERR_STREAM_PREMATURE_CLOSE") throw thrown;
  } finally {
    clearTimeout(timer);
  }
  return readText(Buffer.concat(chunks), size);
}

function kindOfInput(): "none" | "pipe" | "socket" {
  if (process.stdin.isTTY) return "none";
  try {
    const stat = fstatSync(0);
    if (stat.isSocket()) return "socket";
    return stat.isFIFO() || stat.isFile() ? "pipe" : "none";
  } catch {
    return "none";
  }
}

function readText(data: Buffer, size: number): PipedInput | undefined {
  const kept = data.subarray(0, MAX_BYTES);
  if (kept.includes(0)) {
    throw usageError("What came on standard input is not text.", "Pipe text in, or name the file in the task.");
  }
  const text = new TextDecoder().decode(kept);
  if (text.trim() === "") return undefined;
  if (size <= MAX_BYTES) return { text };
  return { text, note: `Standard input was long: the first ${MAX_BYTES} of ${size} bytes are in the task.` };
}
