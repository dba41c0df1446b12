/** Reads a regular file, or a part of it, without ever holding more than was asked for. */
import { constants } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { HaftError } from "../../base/errors.ts";
import type { ReadFileOptions } from "../../core/sandbox.ts";
import { fileError } from "./file-error.ts";
import { openRegular, type PinnedDir } from "./pinned-dir.ts";

const DEFAULT_MAX_BYTES = 50 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;

export async function readRegularFile(
  dir: PinnedDir,
  name: string,
  shown: string,
  options: ReadFileOptions,
): Promise<Uint8Array> {
  const offset = wholeNumber("offset", options.offset ?? 0);
  const length = options.length === undefined ? undefined : wholeNumber("length", options.length);
  const file = await openRegular(dir, name, shown, constants.O_RDONLY);
  try {
    const available = Math.max(0, (await file.stat()).size - offset);
    const max = length ?? options.maxBytes ?? DEFAULT_MAX_BYTES;
    if (length === undefined && available > max) throw tooLarge(shown, available, max);
    const bytes = await readUpTo(file, offset, Math.min(available, max), options.abortSignal);
    return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  } finally {
    await file.close();
  }
}

/** In pieces, so that an abort is noticed. A file that was cut short meanwhile gives what it still has. */
async function readUpTo(file: FileHandle, offset: number, count: number, abortSignal?: AbortSignal): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(count);
  let filled = 0;
  while (filled < count) {
    abortSignal?.throwIfAborted();
    const wanted = Math.min(CHUNK_BYTES, count - filled);
    const { bytesRead } = await file.read(bytes, filled, wanted, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

function tooLarge(shown: string, size: number, max: number): HaftError {
  return fileError("EFBIG", shown, { problem: `has ${size} bytes to read, and ${max} is the limit` });
}

function wholeNumber(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new HaftError("EINVAL", `${name} is ${value}, and must be a whole number of bytes from 0.`, {
    hint: `Leave ${name} out, or give a whole number.`,
  });
}
