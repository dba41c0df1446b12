/** The examples of seeds 000 and 001, which are Elixir, in TypeScript; what they call is a stand-in. */
import { z } from "zod";
import { fail, Tool, type ToolEntry } from "../../src/index.ts";
import { Command, Read, readOnlyTools } from "../../src/tools/index.ts";

type Reading = { ok: true; data: { temp: number } } | { ok: false; reason: string };

export const WeatherAPI = {
  async get(location: string): Promise<Reading> {
    if (location === "Atlantis") return { ok: false, reason: "There is no station in Atlantis" };
    return { ok: true, data: { temp: 61 } };
  },
};

export const Repo = {
  tables: { users: ["Ada", "Grace"], orders: ["#1"] } as Record<string, string[]>,
  query(table: string, q: string): { table: string; rows: string[] } {
    return { table, rows: this.tables[table]!.filter((row) => row.includes(q)) };
  },
};

// Defining a custom tool
export const Weather = new Tool({
  name: "get_weather",
  description: "Gets the current weather for a location",
  input: {
    type: "object",
    properties: {
      location: { type: "string", description: "City name" },
    },
    required: ["location"],
  },

  async handler({ location }) {
    const reading = await WeatherAPI.get(location);
    return reading.ok ? `Temperature: ${reading.data.temp}F` : fail(reading.reason);
  },
});

// Parameterized tools
export const Database = new Tool({
  options: z.object({ table: z.string() }),
  name: ({ table }) => `query_${table}`,
  description: ({ table }) => `Query the ${table} table`,
  input: { type: "object", properties: { q: { type: "string" } }, required: ["q"] },

  handler({ q }, ctx) {
    const { table } = ctx.options;
    return Repo.query(table, q);
  },
});

/** The one of seed 001, which says nothing of its parameters. */
export const OpenDatabase = new Tool({
  options: z.object({ table: z.string() }),
  name: ({ table }) => `query_${table}`,
  description: ({ table }) => `Query the ${table} table`,

  handler(where, ctx) {
    const { table } = ctx.options;
    return Repo.query(table, String(Object.values(where)[0]));
  },
});

export const databases = (): ToolEntry[] => [
  [Database, { table: "users" }],
  [Database, { table: "orders" }],
];

// Built-in tool sets, with an extra
export const readOnlyWithWeather = (): ToolEntry[] => [...readOnlyTools(), Weather];

// Scoped command grants
export const ReviewAgent = {
  tools: (): ToolEntry[] => [
    Read,
    [Command, { command: "git" }],
    [Command, { command: "gh", env: { GH_TOKEN: fetchEnv("GH_TOKEN") } }],
  ],
};

function fetchEnv(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}
