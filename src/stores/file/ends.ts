/** The first line of a file and its last whole one, without reading what is between them. */
import { type FileHandle, open } from "node:fs/promises";

const chunkBytes = 64 * 1024;
const LINE_END = 0x0a;

/** Undefined for a file without a whole line. */
export async function endsOf(path: string): Promise<{ first: string; last: string } | undefined> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const end = await firstLineEnd(file, 0);
    if (end === undefined) return undefined;
    const last = await lastLine(file, size);
    return { first: await textOf(file, 0, end), last };
  } finally {
    await file.close();
  }
}

async function firstLineEnd(file: FileHandle, from: number): Promise<number | undefined> {
  const chunk = Buffer.alloc(chunkBytes);
  for (let at = from; ; at += chunkBytes) {
    const { bytesRead } = await file.read(chunk, 0, chunkBytes, at);
    if (bytesRead === 0) return undefined;
    const end = chunk.subarray(0, bytesRead).indexOf(LINE_END);
    if (end >= 0) return at + end;
  }
}

async function lastLine(file: FileHandle, size: number): Promise<string> {
  const end = await lineEndBefore(file, size); // there is one
  const before = await lineEndBefore(file, end);
  return textOf(file, before + 1, end);
}

/** -1 when there is none. */
async function lineEndBefore(file: FileHandle, place: number): Promise<number> {
  const chunk = Buffer.alloc(chunkBytes);
  for (let until = place; until > 0; until -= chunkBytes) {
    const from = Math.max(0, until - chunkBytes);
    const { bytesRead } = await file.read(chunk, 0, until - from, from);
    const end = chunk.subarray(0, bytesRead).lastIndexOf(LINE_END);
    if (end >= 0) return from + end;
  }
  return -1;
}

async function textOf(file: FileHandle, from: number, to: number): Promise<string> {
  const bytes = Buffer.alloc(to - from);
  await file.read(bytes, 0, bytes.length, from);
  return bytes.toString("utf8");
}
