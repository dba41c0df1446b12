/** The run that all victims play: calls at the same time, some of which may be made again and some may not. */
import { createHash } from "node:crypto";
import type { Entry } from "../../../src/core/log.ts";
import { execute, type LanguageModel, Tool } from "../../../src/index.ts";
import type { Order } from "./life.ts";

const call = (name: string, n: number) => ({ name, n });

export const script: Order["script"] = [
  [call("effect", 1), call("again", 2), call("effect", 3)],
  [call("look", 4), call("effect", 5)],
  [call("effect", 6), call("again", 7), call("effect", 8)],
  [call("effect", 9)],
];

export const said = `after ${script.length} answers`;

/** What the tool says, also when somebody who looked at the world says it in its place. */
export const resultOf = ({ name, n }: { name: string; n: number }) => `did ${name} ${n}`;

/** Appends that a run takes when nobody stops it, about. */
export const APPENDS = 17;

/** As `child.mjs` does it. */
export function digest(value: unknown): string {
  return createHash("sha1").update(JSON.stringify(value)).digest("hex").slice(0, 16);
}

/** What the model is asked when a run goes on from these entries alone, and how many handlers were called for it. */
export async function replay(entries: readonly Entry[]): Promise<{ asked: string | undefined; called: number }> {
  let asked: string | undefined;
  let called = 0;
  const model: LanguageModel = {
    specificationVersion: "v3",
    provider: "scripted",
    modelId: "by-place",
    async doGenerate({ prompt }) {
      asked = digest(prompt);
      const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
      const content = [{ type: "text", text: "enough" }];
      return { content, finishReason: { unified: "stop", raw: "stop" }, usage, warnings: [] };
    },
    doStream() {
      throw new Error("nobody watches");
    },
  };
  const handler = () => {
    called++;
    return "made again";
  };
  const tools = [
    new Tool({ name: "effect", handler }),
    new Tool({ name: "again", idempotent: true, handler }),
    new Tool({ name: "look", readOnly: true, handler }),
  ];
  await execute({ model, tools, log: [...entries] });
  return { asked, called };
}
