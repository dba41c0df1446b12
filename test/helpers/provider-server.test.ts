import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { type Fault, type ProviderServer, startProviderServer } from "./provider-server/index.ts";

/** The provider server without any provider package: raw requests, in each protocol. */
const protocols: Record<string, (server: ProviderServer, stream: boolean) => [url: string, body: object]> = {
  "openai-responses": ({ urls }, stream) => [`${urls.openai}/responses`, { model: "m", stream, input: [] }],
  "chat-completions": ({ urls }, stream) => [
    `${urls["openai-compatible"]}/chat/completions`,
    { model: "m", stream, messages: [] },
  ],
  anthropic: ({ urls }, stream) => [`${urls.anthropic}/messages`, { model: "m", stream, messages: [] }],
  google: ({ urls }, stream) => [
    `${urls.google}/models/m:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    { contents: [] },
  ],
};
const names = Object.keys(protocols);

function post(server: ProviderServer, protocol: string, stream: boolean, signal?: AbortSignal) {
  const [url, body] = protocols[protocol]!(server, stream);
  const headers = { "content-type": "application/json" };
  return fetch(url, { method: "POST", body: JSON.stringify(body), headers, ...(signal && { signal }) });
}

describe.each(names)("%s", (protocol) => {
  test("plays a script in order, and says when it is at its end", async () => {
    await using server = await startProviderServer([{ text: "one" }, { text: "two" }]);
    expect(await (await post(server, protocol, false)).text()).toContain("one");
    expect(await (await post(server, protocol, true)).text()).toContain("two");
    const over = await post(server, protocol, false);
    expect(over.status).toBe(400);
    expect(await over.text()).toContain("has 2 steps");
    server.push({ text: "unreachable" }, { text: "four" });
    expect(await (await post(server, protocol, false)).text()).toContain("four");
    expect(server.requests.map((request) => [request.protocol, request.stream])).toEqual([
      [protocol, false],
      [protocol, true],
      [protocol, false],
      [protocol, false],
    ]);
  });

  test.each<[Fault, number]>([
    [{ status: 429, retryAfter: 2 }, 429],
    [{ status: 500 }, 500],
    ["html", 200],
  ])("%o", async (fault, status) => {
    await using server = await startProviderServer([{ fault }]);
    const response = await post(server, protocol, true);
    expect(response.status).toBe(status);
    expect(response.headers.get("retry-after")).toBe(status === 429 ? "2" : null);
    expect(await response.text()).toContain(fault === "html" ? "<!doctype html>" : `scripted ${status}`);
  });

  test("cut: the reader fails, and the client is not blamed", async () => {
    await using server = await startProviderServer([{ text: "Hello", fault: "cut" }]);
    await expect((await post(server, protocol, true)).text()).rejects.toThrow();
    expect(server.requests[0]!.abandoned).toBe(false);
  });

  test("truncated: the stream ends well, and its last event is missing", async () => {
    await using server = await startProviderServer([{ text: "Hello" }, { text: "Hello", fault: "truncated" }]);
    const whole = await (await post(server, protocol, true)).text();
    const short = await (await post(server, protocol, true)).text();
    expect(short).toContain("Hello");
    expect(short.length).toBeLessThan(whole.length);
    expect(short.endsWith("\n\n")).toBe(true);
  });

  test("silence: an event, then nothing until the client leaves", async () => {
    await using server = await startProviderServer([{ text: "Hello", fault: "silence" }]);
    const leave = new AbortController();
    const response = await post(server, protocol, true, leave.signal);
    const reader = response.body!.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toMatch(/^(event|data): /);
    leave.abort();
    await expect(drain(reader)).rejects.toThrow();
    while (!server.requests[0]!.abandoned) await wait(5);
  });

  test("malformed and overloaded events are in the stream", async () => {
    await using server = await startProviderServer([{ fault: "malformed" }, { text: "Hello", fault: "overloaded" }]);
    expect(await (await post(server, protocol, true)).text()).toContain("data: {not json\n\n");
    const overloaded = await (await post(server, protocol, true)).text();
    expect(overloaded.indexOf("Overloaded")).toBeGreaterThan(overloaded.indexOf("Hello"));
  });
});

async function drain(reader: { read(): Promise<{ done: boolean }> }): Promise<void> {
  while (!(await reader.read()).done);
}

test("a function decides from the request", async () => {
  await using server = await startProviderServer((request, index) => ({ text: `${index}:${request.model}` }));
  await post(server, "anthropic", false);
  expect(await (await post(server, "anthropic", false)).text()).toContain("1:m");
});

test("a function that throws is a 400 that says why", async () => {
  await using server = await startProviderServer(() => {
    throw new Error("no idea");
  });
  const response = await post(server, "google", false);
  expect(response.status).toBe(400);
  expect(await response.text()).toContain("no idea");
});

test("every event on its own, with time between", async () => {
  await using server = await startProviderServer([{ pieces: ["a", "b", "c"], eventDelayMs: 10 }]);
  const began = performance.now();
  await (await post(server, "chat-completions", true)).text();
  expect(performance.now() - began).toBeGreaterThan(40);
});

test("closing ends silent streams, twice is once", async () => {
  const server = await startProviderServer([{ text: "Hello", fault: "silence" }]);
  const response = await post(server, "openai-responses", true);
  await server.close();
  await server.close();
  await expect(response.text()).rejects.toThrow();
});
