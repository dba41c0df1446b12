/** What the tests of the built-in tools share: real sandboxes over real folders, and what a model would be shown. */
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, onTestFinished } from "vitest";
import { CallContext } from "../../src/core/call-context.ts";
import type { CallChannel } from "../../src/core/context.ts";
import type { Sandbox } from "../../src/core/sandbox.ts";
import type { Tool } from "../../src/core/tool.ts";
import type { ContentPart } from "../../src/core/tool-result.ts";
import { local } from "../../src/sandbox/local/index.ts";
import { virtual } from "../../src/sandbox/virtual/index.ts";

export async function tempFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "haft-tools-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A local sandbox over a folder of its own. */
export async function openLocal(): Promise<Sandbox> {
  const sandbox = await local({ cwd: await tempFolder() });
  onTestFinished(() => sandbox.dispose());
  return sandbox;
}

const kinds = {
  local: openLocal,
  async virtual(): Promise<Sandbox> {
    const sandbox = await virtual();
    onTestFinished(() => sandbox.dispose());
    return sandbox;
  },
};

/** The same tests in each kind of sandbox. `open` gives an empty one. */
export function inEachSandbox(tests: (open: () => Promise<Sandbox>, kind: keyof typeof kinds) => void): void {
  for (const [kind, open] of Object.entries(kinds)) describe(kind, () => tests(open, kind as keyof typeof kinds));
}

export async function put(sandbox: Sandbox, path: string, content: string | Uint8Array): Promise<void> {
  await sandbox.writeFile(path, typeof content === "string" ? new TextEncoder().encode(content) : content);
}

export async function contentOf(sandbox: Sandbox, path: string): Promise<string> {
  return Buffer.from(await sandbox.readFile(path)).toString();
}

/** What a call gives to a model, where that is not the value itself. */
export async function contentFor(tool: Tool, input: unknown, sandbox: Sandbox): Promise<ContentPart[] | undefined> {
  const line: CallChannel = {};
  await tool.execute(input, new CallContext({ sandbox, channel: line }));
  return line.content;
}
