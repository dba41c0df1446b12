/** The runs of the corpus: begun by an old version, and gone on with by this one. `haft` is the version that runs them. */
import type { ExecuteOptions, Tool } from "../../../src/index.ts";
import type { Script } from "../../../src/testing/index.ts";

export interface Scenario {
  options: Partial<ExecuteOptions>;
  /** What the model answers before the log ends. */
  before: Script;
}

type Haft = typeof import("../../../src/index.ts");

const call = (name: string, input?: unknown) => ({ toolCalls: [{ name, ...(input !== undefined && { input }) }] });
const text = (name: string) => ({ type: "object" as const, properties: { [name]: { type: "string" as const } } });

/** `die` ends the process that makes the log; `calls` is told of each call. */
export function scenario(name: string, haft: Haft, calls: string[], die: () => void): Scenario {
  const tool = (toolName: string, handler: (input: any, context: any) => unknown, more: object = {}): Tool =>
    new haft.Tool({
      name: toolName,
      input: text("value"),
      handler: async (input: any, context: any) => {
        calls.push(toolName);
        return handler(input, context);
      },
      ...more,
    } as never) as unknown as Tool;
  const weather = tool("weather", ({ value }) => ({ city: value, celsius: 21, at: new Date(1_700_000_000_000) }));
  const pay = tool("pay", ({ value }) => `paid ${value}`, { approval: true });
  const program = (code: string) => call("run_program", { code });

  const scenarios: Record<string, () => Scenario> = {
    finished: () => ({
      options: { tools: [weather] },
      before: [call("weather", { value: "Lisbon" }), "It is 21 degrees 🪓 in Lisbon."],
    }),
    approval: () => ({
      options: { tools: [weather, pay] },
      before: [call("weather", { value: "Lisbon" }), call("pay", { value: "20" })],
    }),
    "in-doubt": () => ({
      options: { tools: [weather, tool("send", () => die())] },
      before: [call("weather", { value: "Lisbon" }), call("send", { value: "a letter" })],
    }),
    assigns: () => ({
      options: {
        assigns: { user: "Ada" },
        tools: [
          tool("remember", ({ value }) => haft.ok("remembered", { assigns: { remembered: value } })),
          tool("recall", (_, { assigns }) => JSON.stringify(assigns)),
          pay,
        ],
      },
      before: [call("remember", { value: "blue" }), call("pay", { value: "20" })],
    }),
    objects: () => ({
      options: {
        objects: [
          new haft.Autonomous.Object({
            name: "Orders",
            properties: [{ name: "status", type: text("state"), value: { state: "open" }, writable: true }],
            tools: [pay],
          } as never),
        ],
      },
      before: [call("Orders_set_status", { value: { state: "cancelled" } }), call("Orders_pay", { value: "20" })],
    }),
    program: () => ({
      options: { mode: "code", tools: [weather, pay] },
      before: [
        program('const { city } = await weather({ value: "Lisbon" }); return city;'),
        program(
          'const seen = new Map([["city", city]]); const paid = await pay({ value: "20" }); return [seen, paid];',
        ),
      ],
    }),
  };
  return scenarios[name]!();
}
