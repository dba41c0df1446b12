/** ai@7, ToolLoopAgent. */
import { fakeModel } from "../../fake-model.mjs";
import { toolLoopAgent } from "../tool-loop-agent.mjs";

export async function load() {
  const [ai, { z }] = await Promise.all([import("ai"), import("zod")]);
  return { ai, z };
}

export const makeAgent = (library, scenario) => toolLoopAgent(library, scenario, fakeModel(scenario, "v4"));
