/** Every name that a fence of seed 002 uses without defining it. The list is closed, and is written down in README.md. */
import { z } from "zod";
import { type Autonomous, execute as start, Tool } from "../../src/index.ts";
import { bot, conversation, stage, user } from "./stage.ts";

// Haft's own, under the seed's names.
export {
  Autonomous,
  type ExitResult,
  type Iteration,
  type IterationController,
  SnapshotSignal as _SnapshotSignal,
  ThinkSignal,
  ThinkSignal as _ThinkSignal,
  Tool as LlmzTool,
  type Trace,
} from "../../src/index.ts";
export { defineConfig } from "../../src/project/config.ts";
export { bot, conversation, user, z };
export type Execute = typeof start;

/** The seed derives `Iteration` from a class; ours is an interface. */
export declare const LlmzIteration: abstract new () => Autonomous.Iteration;

/** Haft's `execute`, with the model and the mode that the test has put on the stage. */
export const execute: typeof start = (options) => {
  const run = start({ model: stage.model, ...(stage.mode && { mode: stage.mode }), ...options });
  stage.run = run;
  return run;
};

function note(...asked: unknown[]): void {
  stage.asked.push(asked);
}

export async function searchDocumentation(query: string, maxResults: number): Promise<string[]> {
  note("searchDocumentation", query, maxResults);
  return stage.documents.slice(0, maxResults);
}

export async function performSearch(query: string): Promise<string> {
  note("performSearch", query);
  return `found: ${query}`;
}

export const knowledgeBase = {
  async search(query: string): Promise<{ title: string; content: string }[]> {
    note("knowledgeBase.search", query);
    return stage.knowledge;
  },
};

export const adk = {
  zai: {
    /** Says 60 of everything. */
    async extract<Shape extends z.ZodRawShape>(
      text: string,
      schema: z.ZodObject<Shape>,
    ): Promise<z.output<z.ZodObject<Shape>>> {
      note("adk.zai.extract", text);
      return schema.parse(Object.fromEntries(Object.keys(schema.shape).map((key) => [key, 60])));
    },
  },
};

export const actions = {
  slack: {
    async sendMessage(message: { channel: string; text: string }): Promise<void> {
      note("actions.slack.sendMessage", message);
    },
  },
  helpdesk: {
    async createTicket(ticket: {
      title: string;
      description: string;
      priority: string;
      metadata: Record<string, unknown>;
    }): Promise<{ id: string }> {
      note("actions.helpdesk.createTicket", ticket);
      return { id: "T-1" };
    },
  },
};

export const context = {
  get(key: "conversation", options: { optional: true }): { id: string } | undefined {
    note("context.get", key, options);
    return conversation;
  },
};

export const searchTool = new Tool({
  name: "search",
  description: "Search the web",
  input: z.object({ query: z.string() }),
  output: z.string(),
  handler: async ({ query }) => {
    note("searchTool", query);
    return `results for ${query}`;
  },
});

export const createTicketTool = new Tool({
  name: "createTicket",
  description: "Create a ticket",
  input: z.object({ title: z.string() }),
  output: z.object({ ticketId: z.string() }),
  handler: async ({ title }) => {
    note("createTicketTool", title);
    return { ticketId: "T-2" };
  },
});
