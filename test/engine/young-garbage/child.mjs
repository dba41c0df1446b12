/** Many runs in a process of its own, and how many bytes each leaves behind for a full collection. */
import { getHeapStatistics } from "node:v8";
import { execute, Tool } from "../../../dist/index.js";
import { scriptedModel } from "../../../dist/testing/index.js";

const RUNS = 1_000;
const later = new Tool({
  name: "later",
  input: { type: "object", properties: { n: { type: "number" } } },
  handler: async ({ n }) => {
    await null;
    return `number ${n}`;
  },
});
const kept = process.argv[2] === "keep" ? [] : undefined;

async function runOften() {
  for (let index = 0; index < RUNS; index++) {
    const model = scriptedModel([{ toolCalls: [{ name: "later", input: { n: 1 } }] }, "done"]);
    const result = await execute({ model, tools: [later], prompt: "go" });
    if (result.status !== "success") throw result.error;
    kept?.push(result);
  }
}

await runOften();
globalThis.gc();
globalThis.gc({ type: "minor" });
const before = getHeapStatistics().used_heap_size;
await runOften();
globalThis.gc({ type: "minor" });
globalThis.gc({ type: "minor" });
console.log((getHeapStatistics().used_heap_size - before) / RUNS);
