/** Seed 002, fences 0 to 3 and 15: its tools are run, and do what the document says of them. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { HaftError, type ThinkSignal } from "../../src/index.ts";
import defaultSearchDocs, { searchDocs } from "./fixtures/002/00.ts";
import createCharacter, { anotherTool, simpleSearch } from "./fixtures/002/01.ts";
import upgradeUser from "./fixtures/002/02.ts";
import searchKnowledge from "./fixtures/002/03.ts";
import createSupportTicket from "./fixtures/002/15.ts";
import { call, play, shownSchema, toldResults } from "./play.ts";
import { asked, bot, clearStage, stage, user } from "./stage.ts";

beforeEach(clearStage);
afterEach(() => {
  vi.restoreAllMocks();
});

const failure = (run: Promise<unknown>): Promise<any> =>
  run.then(
    () => undefined,
    (error) => error,
  );

describe("fence 0: basic structure", () => {
  test.each([
    ["named export", searchDocs],
    ["default export", defaultSearchDocs],
  ])("%s: the model calls it, defaults are filled in, and it reads the text", async (_, tool) => {
    stage.documents = ["Tools have names.", "Tools have handlers."];
    const { result, model } = await play({ tools: [tool] }, call("searchDocs", { query: "tools" }), "Done.");

    expect(asked("searchDocumentation")).toEqual([["tools", 5]]);
    expect(toldResults(model.requests[1])).toEqual(["Tools have names.\n\nTools have handlers."]);
    expect(result.output).toBe("Done.");
  });

  test("the model is shown the name, the description and what the schema says", async () => {
    const { model } = await play({ tools: [searchDocs] }, "Nothing to do.");
    const shown = model.requests[0]!.tools![0]!;
    expect(shown).toMatchObject({
      name: "searchDocs",
      description: "Search documentation for answers to user questions",
      inputSchema: {
        type: "object",
        properties: {
          query: { type: "string", description: "The search query" },
          maxResults: { type: "number", default: 5, description: "Maximum results to return" },
        },
      },
    });
    expect(shown.inputSchema.required).toEqual(["query"]);
  });

  test("it can be tested alone", async () => {
    stage.documents = ["one", "two"];
    expect(await searchDocs.execute({ query: "tools", maxResults: 1 })).toBe("one");
  });
});

describe("fence 1: handlers", () => {
  test("createCharacter gets its fields, reaches the user's state and ADK's utilities", async () => {
    const input = { name: "Ada", race: "elf" };
    const { model } = await play({ tools: [createCharacter] }, call("createCharacter", input), "Welcome.");

    expect(user.state).toEqual({ characterName: "Ada", race: "elf", background: undefined, courage: 60, wisdom: 60 });
    expect(asked("adk.zai.extract")).toEqual([["Create character stats for Ada the elf"]]);
    expect(toldResults(model.requests[1])).toEqual(["Created Ada the elf!"]);
  });

  test("a value that the schema does not allow never reaches the handler, and the model reads why", async () => {
    const input = { name: "Ada", race: "orc" };
    const { model } = await play({ tools: [createCharacter] }, call("createCharacter", input), "Sorry.");

    expect(user.state).toEqual({});
    expect(toldResults(model.requests[1])[0]).toMatch(/createCharacter.*race.*elf/s);
  });

  test("simpleSearch takes one text, not an object", async () => {
    const sent = call("search", { input: "moons" });
    const { model } = await play({ tools: [simpleSearch] }, sent, call("search", { input: "" }), "Done.");

    expect(shownSchema(model.requests[0], "search")).toMatchObject({
      type: "object",
      properties: { input: { type: "string", minLength: 1, maxLength: 1024 } },
      required: ["input"],
    });
    expect(asked("performSearch")).toEqual([["moons"]]);
    expect(toldResults(model.requests[2])).toEqual(["found: moons", expect.stringContaining("search")]);
    expect(await simpleSearch.execute("stars")).toBe("found: stars");
  });

  test("anotherTool is a method, and its context has an id of its own for each call", async () => {
    const log = vi.spyOn(console, "log").mockImplementation(() => {});
    const calls = ["x", "y"].map((param) => ({ name: "anotherTool", input: { param } }));
    const { events, model } = await play({ tools: [anotherTool] }, { toolCalls: calls }, "Done.");

    expect(toldResults(model.requests[1])).toEqual(["Processed x", "Processed y"]);
    const ids = events.flatMap((event) => (event.type === "tool-call" ? [event.key] : []));
    expect(new Set(ids).size).toBe(2);
    expect(log.mock.calls).toEqual(ids.map((id) => [`Processing call: ${id}`]));
  });
});

test("fence 2: upgradeUser reads and changes user and bot, and calls an action", async () => {
  Object.assign(user.state, { name: "Ada" });
  user.tags.tier = "free";
  bot.state.totalUpgrades = 2;
  const { model } = await play({ tools: [upgradeUser] }, call("upgradeUser"), "Done.");

  expect(toldResults(model.requests[1])).toEqual(["Upgraded Ada to pro tier"]);
  expect([user.tags.tier, bot.state.totalUpgrades]).toEqual(["pro", 3]);
  expect(asked("context.get")).toEqual([["conversation", { optional: true }]]);
  expect(asked("actions.slack.sendMessage")).toEqual([
    [{ channel: "upgrades", text: "Ada upgraded from free to pro" }],
  ]);
});

describe("fence 3: ThinkSignal", () => {
  const first = "Search complete - use these results to answer";

  test("its second argument reaches the model, its first one only the log", async () => {
    stage.knowledge = [
      { title: "Haft", content: "The handle of a tool." },
      { title: "Blade", content: "The other end." },
    ];
    const search = call("searchKnowledge", { input: "haft" });
    const { result, model, events } = await play({ tools: [searchKnowledge] }, search, "A handle.");

    expect(toldResults(model.requests[1])).toEqual(["[1] Haft\nThe handle of a tool.\n\n[2] Blade\nThe other end."]);
    expect(JSON.stringify(model.requests[1])).not.toContain(first);
    expect(events).toContainEqual(
      expect.objectContaining({ type: "tool-end", signal: { type: "think", reason: first } }),
    );
    expect(result.iterations.map(({ status }) => status?.type)).toEqual(["thinking", "text"]);
    expect(result.output).toBe("A handle.");
  });

  test("no results: the model is told not to make up an answer", async () => {
    const { model } = await play(
      { tools: [searchKnowledge] },
      call("searchKnowledge", { input: "haft" }),
      "I do not know.",
    );
    expect(toldResults(model.requests[1])).toEqual([
      "No results were found. Try rephrasing or ask something else. Do NOT make up an answer.",
    ]);
  });

  test("alone, execute throws the signal itself", async () => {
    const signal = (await failure(searchKnowledge.execute("haft"))) as ThinkSignal;
    expect([signal.name, signal.reason]).toEqual(["ThinkSignal", "No results found"]);
  });
});

describe("fence 15: a tool for production", () => {
  const ticket = { title: "It is broken", description: "Nothing works any more.", category: "bug" } as const;

  test("the ticket is created, and the user's state remembers it", async () => {
    const { model } = await play({ tools: [createSupportTicket] }, call("createSupportTicket", ticket), "Done.");
    expect(asked("actions.helpdesk.createTicket")).toEqual([
      [
        {
          title: "It is broken",
          description: "User: user-1\nCategory: bug\n\nNothing works any more.",
          priority: "medium",
          metadata: { userId: "user-1", conversationId: "conversation-1" },
        },
      ],
    ]);
    expect(toldResults(model.requests[1])).toEqual([
      '{"ticketId":"T-1","url":"https://support.example.com/ticket/T-1"}',
    ]);
    expect(user.state.lastTicketId).toBe("T-1");
    expect(new Date(user.state.lastTicketCreated).getTime()).toBeGreaterThan(0);
  });

  test("urgent on the free tier: the model is told to offer an upgrade", async () => {
    user.tags.tier = "free";
    const sent = call("createSupportTicket", { ...ticket, priority: "urgent" });
    const { model } = await play({ tools: [createSupportTicket] }, sent, "Would you like to upgrade?");
    expect(toldResults(model.requests[1])).toEqual([
      "Urgent priority is only available for premium users. Would you like to upgrade?",
    ]);
    expect(asked("actions.helpdesk.createTicket")).toEqual([]);
  });

  test("the limits of its schema hold", async () => {
    const error = await failure(createSupportTicket.execute({ ...ticket, title: "Help" }));
    expect(HaftError.is(error, "TOOL_INPUT_INVALID")).toBe(true);
    expect(error.message).toContain("title");
  });
});
