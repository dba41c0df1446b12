/** Seed 002 in mode "code": its fences run, and do what the document says of them, when the model writes programs. */
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { ExecuteOptions } from "../../src/index.ts";
import { type Script, type ScriptedRequest, type ScriptedStep, scriptedModel } from "../../src/testing/index.ts";
import { searchDocs } from "./fixtures/002/00.ts";
import createCharacter, { anotherTool, simpleSearch } from "./fixtures/002/01.ts";
import upgradeUser from "./fixtures/002/02.ts";
import searchKnowledge from "./fixtures/002/03.ts";
import searchDocumentation from "./fixtures/002/04.ts";
import { productSearchTool } from "./fixtures/002/05.ts";
import externalAPI from "./fixtures/002/06.ts";
import createSupportTicket from "./fixtures/002/15.ts";
import { play, toldResults } from "./play.ts";
import { asked, bot, clearStage, stage, user } from "./stage.ts";

beforeEach(clearStage);

function program(code: string): ScriptedStep {
  return { toolCalls: [{ name: "run_program", input: { code } }] };
}

const inCode = (options: ExecuteOptions, ...script: Script) => play({ mode: "code", ...options }, ...script);

/** What the model reads of the program that ran last. */
const told = (request: ScriptedRequest | undefined) => toldResults(request).at(-1);

test("fence 0: defaults are filled in, and the program gets the text", async () => {
  stage.documents = ["Tools have names.", "Tools have handlers."];
  const code = 'const text = await searchDocs({ query: "tools" });\nreturn text.split("\\n\\n").length;';
  const { model, result } = await inCode({ tools: [searchDocs] }, program(code), "Done.");
  expect(asked("searchDocumentation")).toEqual([["tools", 5]]);
  expect(told(model.requests[1])).toContain("Returned: 2");
  expect(result.output).toBe("Done.");
  const shown = JSON.stringify(model.requests[0]!.prompt[0]);
  for (const part of ["searchDocs", "The search query", "maxResults?"]) expect(shown).toContain(part);
});

describe("fence 1: handlers", () => {
  test("get fields, reach the user's state, and a wrong value never reaches them", async () => {
    const wrong = program('await createCharacter({ name: "Ada", race: "orc" });');
    const right = program('return await createCharacter({ name: "Ada", race: "elf" });');
    const { model } = await inCode({ tools: [createCharacter] }, wrong, right, "Welcome.");
    expect(told(model.requests[1])).toMatch(/not run.*orc/s);
    expect(told(model.requests[2])).toContain("Created Ada the elf!");
    expect(user.state).toMatchObject({ characterName: "Ada", race: "elf" });
  });

  test("take one text where the input is one", async () => {
    const { model } = await inCode({ tools: [simpleSearch] }, program('return await search("moons");'), "Done.");
    expect(asked("performSearch")).toEqual([["moons"]]);
    expect(told(model.requests[1])).toContain("found: moons");
  });

  test("have an id of its own for each call", async () => {
    const log = vi.spyOn(console, "log").mockImplementation(() => {});
    const code = 'return await Promise.all(["x", "y"].map((param) => anotherTool({ param })));';
    const { events, model } = await inCode({ tools: [anotherTool] }, program(code), "Done.");
    expect(told(model.requests[1])).toMatch(/Processed x.*Processed y/s);
    const ids = events.flatMap((event) => (event.type === "tool-call" ? [event.key] : []));
    expect(new Set(ids).size).toBe(2);
    expect(log.mock.calls).toEqual(ids.map((id) => [`Processing call: ${id}`]));
    log.mockRestore();
  });
});

test("fence 2: upgradeUser reads and changes user and bot, and calls an action", async () => {
  Object.assign(user.state, { name: "Ada" });
  user.tags.tier = "free";
  bot.state.totalUpgrades = 2;
  const { model } = await inCode({ tools: [upgradeUser] }, program("return await upgradeUser({});"), "Done.");
  expect(told(model.requests[1])).toContain("Upgraded Ada to pro tier");
  expect([user.tags.tier, bot.state.totalUpgrades]).toEqual(["pro", 3]);
});

test("fence 3: a ThinkSignal's second argument reaches the model, its first one only the log", async () => {
  stage.knowledge = [{ title: "Haft", content: "The handle of a tool." }];
  const code = 'try { await searchKnowledge("haft"); } catch {}\nawait searchKnowledge("never");';
  const { result, model, events } = await inCode({ tools: [searchKnowledge] }, program(code), "A handle.");
  expect(JSON.stringify(model.requests[1]!.prompt)).toContain("[1] Haft");
  const first = "Search complete - use these results to answer";
  expect(JSON.stringify(model.requests[1])).not.toContain(first);
  expect(events).toContainEqual(
    expect.objectContaining({ type: "tool-end", signal: { type: "think", reason: first } }),
  );
  expect(events.filter(({ type }) => type === "tool-start")).toHaveLength(1);
  expect(result.iterations.map(({ status }) => status?.type)).toEqual(["thinking", "text"]);
});

test("fence 4: a program may call a tool by each of its aliases", async () => {
  const names = ["searchDocumentation", "search_docs", "findDocs", "lookupDocs"];
  const code = names.map((name) => `await (globalThis as any).${name}("x");`).join("\n");
  const { events, result } = await inCode({ tools: [searchDocumentation] }, program(code), "Done.");
  expect(events.flatMap((event) => (event.type === "tool-start" ? [event.name] : []))).toEqual(
    names.map(() => names[0]),
  );
  expect(events.some((event) => event.type === "tool-end" && event.error)).toBe(false);
  expect(result.status).toBe("success");
});

test("fence 5: a static value is hidden from the model, and wins over what a program sends", async () => {
  const code = 'await search({ query: "saw", category: "people" } as any);';
  const { events, model } = await inCode({ tools: [productSearchTool] }, program(code), "Done.");
  expect(JSON.stringify(model.requests[0])).not.toContain("category");
  expect(events).toContainEqual(
    expect.objectContaining({ type: "tool-call", input: { query: "saw", category: "products" } }),
  );
});

test("fence 6: retries happen below the program", async () => {
  let attempts = 0;
  const refused = Object.assign(new Error("Too many requests"), { code: "RATE_LIMIT" });
  const fetching = vi.spyOn(globalThis, "fetch").mockImplementation(async () => {
    if (++attempts === 1) throw refused;
    return new Response('{"answer":42}');
  });
  const code = 'return (await externalAPI({ endpoint: "http://127.0.0.1/" })).answer;';
  const { model } = await inCode({ tools: [externalAPI] }, program(code), "Done.");
  fetching.mockRestore();
  expect(told(model.requests[1])).toContain("Returned: 42");
  expect(attempts).toBe(2);
});

/** Runs a fence that calls `execute` when it is imported; each `name` is a run of its own. */
async function runFence(file: string, name: string, ...script: Script) {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  try {
    const model = scriptedModel(script);
    Object.assign(stage, { model, mode: "code" });
    const exported = await import(/* @vite-ignore */ `./fixtures/002/${file}?${name}`);
    return { exported, model, result: await stage.run!, printed: log.mock.calls };
  } finally {
    log.mockRestore();
  }
}

test("fence 10: hooks see each call of a program and what it gave", async () => {
  const code = 'await search({ query: "haft" });\nawait createTicket({ title: "Broken" });';
  const { printed, result } = await runFence("10.ts", "log-code", program(code), "Done.");
  expect(printed).toEqual([
    ["Calling tool: search", { query: "haft" }],
    ["Tool search returned:", "results for haft"],
    ["Calling tool: createTicket", { title: "Broken" }],
    ["Tool createTicket returned:", { ticketId: "T-2" }],
  ]);
  expect(result.output).toBe("Done.");
});

test("fence 11: onBeforeTool rewrites the query before the handler gets it", async () => {
  const code = 'return await search({ query: "haft" });';
  const { model } = await runFence("11.ts", "rewrite-code", program(code), "Done.");
  expect(told(model.requests[1])).toContain("results for haft site:docs.example.com");
});

describe("fence 12: exits", () => {
  test("are returned by a program, typed and checked", async () => {
    const wrong = program('return exit("search_complete", { results: ["a", "b"], count: "two" } as any);');
    const right = program(
      'const results = ["a", "b"];\nreturn exit("search_complete", { results, count: results.length });',
    );
    const { model, printed, result, exported } = await runFence("12.ts", "found-code", wrong, right);
    expect(told(model.requests[1])).toContain("count");
    expect(printed).toEqual([["Found 2 results"]]);
    expect([result.is(exported.SearchExit), result.is(exported.NoResultsExit)]).toEqual([true, false]);
  });

  test("the other one", async () => {
    const { printed, result, exported } = await runFence("12.ts", "none-code", program('return exit("no_results");'));
    expect(printed).toEqual([["No results found"]]);
    expect([result.is(exported.SearchExit), result.is(exported.NoResultsExit)]).toEqual([false, true]);
  });
});

describe("fence 15: a tool for production", () => {
  const ticket = 'title: "It is broken", description: "Nothing works any more.", category: "bug"';

  test("the ticket is created, and the user's state remembers it", async () => {
    const code = `const { url } = await createSupportTicket({ ${ticket} });\nreturn url;`;
    const { model } = await inCode({ tools: [createSupportTicket] }, program(code), "Done.");
    expect(told(model.requests[1])).toContain("https://support.example.com/ticket/T-1");
    expect(user.state.lastTicketId).toBe("T-1");
  });

  test("urgent on the free tier: the model is told to offer an upgrade", async () => {
    user.tags.tier = "free";
    const code = `await createSupportTicket({ ${ticket}, priority: "urgent" });`;
    const { model } = await inCode({ tools: [createSupportTicket] }, program(code), "Would you like to upgrade?");
    expect(JSON.stringify(model.requests[1]!.prompt)).toContain("Would you like to upgrade?");
    expect(asked("actions.helpdesk.createTicket")).toEqual([]);
  });
});
