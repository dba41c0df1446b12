/** The twenty tools of the benchmark, as JSON Schemas in namespaces: what declarations are measured by. */
import { z } from "zod";
import { twentyTools as toolsOfBench } from "../../../bench/twenty-tools.mjs";
import type { Declared } from "../../../src/modes/code/declarations/index.ts";

export const twentyTools: readonly Declared[] = toolsOfBench(z).map(({ name, description, input, output }) => ({
  name: name.replace("_", "."),
  description,
  input: z.toJSONSchema(input, { io: "input" }),
  output: z.toJSONSchema(output, { io: "output" }),
}));
