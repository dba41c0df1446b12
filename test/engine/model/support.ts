/** What the tests of model calls share: a run against a real server in a provider's protocol, watched or not. */
import { afterAll, beforeAll, expect } from "vitest";
import type { Entry, EntryOf } from "../../../src/core/log.ts";
import { type ExecuteOptions, type ExecuteResult, execute, ok, type RunEvent, Tool } from "../../../src/index.ts";
import type { ProviderName, ProviderServer } from "../../helpers/provider-server/index.ts";
import { modelNames, modelOf } from "../../models/call.ts";

export { modelNames, modelOf, providerList } from "../../models/call.ts";

/** Streamed, when somebody iterates; whole, when nobody does. */
export type Way = "watched" | "awaited";
export const ways: Way[] = ["watched", "awaited"];

export interface Ran {
  result: ExecuteResult;
  events: RunEvent[];
  /** What the run wrote, watched or not. */
  entries: Entry[];
}

/** Fast limits, so that failures cost a test nothing. */
export const quick = { attempts: 2, backoffMs: 2, maxWaitMs: 1_000 };

export async function play(options: ExecuteOptions, way: Way = "watched"): Promise<Ran> {
  const entries: Entry[] = [];
  const store = {
    read: async () => [],
    append: async (_: string, more: readonly Entry[]) => void entries.push(...more),
  };
  const run = execute({ modelLimits: quick, store, ...options });
  const events: RunEvent[] = [];
  if (way === "watched") for await (const event of run) events.push(event);
  return { result: await run, events, entries };
}

/** A run with the model of a provider whose server is this one. */
export async function playAt(
  provider: ProviderName,
  server: ProviderServer,
  options: ExecuteOptions = {},
  way: Way = "watched",
): Promise<Ran> {
  return play({ model: await modelOf(provider, server), prompt: "go", ...options }, way);
}

export function ofType<T extends RunEvent["type"]>(
  events: readonly RunEvent[],
  type: T,
): Extract<RunEvent, { type: T }>[] {
  return events.filter((event) => event.type === type) as Extract<RunEvent, { type: T }>[];
}

/** The failed attempts of a run: code, and what followed. */
export function failures(entries: readonly Entry[]): string[] {
  return ofType(entries, "model-error").map(({ error, then }: EntryOf<"model-error">) => `${error.code} → ${then}`);
}

/** The text as a watcher has it at the end. */
export function shownText(events: readonly RunEvent[]): string {
  const texts = new Map<string, string>();
  for (const event of events) {
    if (event.type === "text-delta") texts.set(event.key, (texts.get(event.key) ?? "") + event.text);
    else if (event.type === "text-reset") texts.delete(event.key);
  }
  return [...texts.values()].join("");
}

export function addTool(made: unknown[] = []): Tool<any, any, any> {
  return new Tool({
    name: "add",
    description: "Adds two numbers",
    input: {
      type: "object",
      properties: { a: { type: "number" }, b: { type: "number" } },
      required: ["a", "b"],
      additionalProperties: false,
    },
    handler: (input: { a: number; b: number }) => {
      made.push(input);
      return input.a + input.b;
    },
  });
}

export const png = Buffer.from("not really a picture").toString("base64");

/** A tool that gives a picture, with words or without. */
export function lookTool(words?: string): Tool<any, any, any> {
  const image = { type: "image" as const, data: png, mediaType: "image/png" };
  return new Tool({
    name: "look",
    description: "Shows what is there",
    handler: () => ok("a picture", { content: words ? [{ type: "text", text: words }, image] : [image] }),
  });
}

export function nameOf(provider: ProviderName): string {
  return `${provider}:${modelNames[provider]}`;
}

/** Sets the server's keys and addresses in the environment, as a user does, until it is disposed. */
export function environment(server: ProviderServer): Disposable {
  const before = { ...process.env };
  Object.assign(process.env, server.env);
  return {
    [Symbol.dispose]() {
      for (const name of Object.keys(server.env)) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
    },
  };
}

/** A file of tests fails at its end when a rejection was not handled while it ran: outside of tests that ends the process. */
export function expectNoUnhandledRejections(): void {
  const seen: unknown[] = [];
  const note = (reason: unknown) => void seen.push(reason);
  const others = process.listeners("unhandledRejection");
  beforeAll(() => {
    process.removeAllListeners("unhandledRejection");
    process.on("unhandledRejection", note);
  });
  afterAll(async () => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    process.off("unhandledRejection", note);
    for (const other of others) process.on("unhandledRejection", other);
    expect(seen).toEqual([]);
  });
}
