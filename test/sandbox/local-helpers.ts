import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import type { Sandbox } from "../../src/core/sandbox.ts";
import { type LocalOptions, local } from "../../src/sandbox/local/index.ts";

export async function tempFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "haft-local-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function openLocal(options: Partial<LocalOptions> = {}): Promise<{ cwd: string; sandbox: Sandbox }> {
  const cwd = options.cwd ?? (await tempFolder());
  const sandbox = await local({ ...options, cwd });
  onTestFinished(() => sandbox.dispose());
  return { cwd, sandbox };
}

export async function waitUntil(condition: () => boolean, what: string): Promise<void> {
  for (const deadline = Date.now() + 15_000; !condition(); await sleep(20)) {
    if (Date.now() > deadline) throw new Error(`waited in vain: ${what}`);
  }
}

export function bytes(content: string): Uint8Array {
  return new TextEncoder().encode(content);
}

export function text(content: Uint8Array): string {
  return new TextDecoder().decode(content);
}
