/** What the demo's model says: written beforehand, but each step looks at what the tools really answered. */
import type { Script, ScriptedRequest, ScriptedStep } from "../../testing/scripted-model.ts";
import { TEST_COMMAND } from "./demo-folder.ts";

export type Step = (request: ScriptedRequest) => ScriptedStep;

const WRONG = "sum += price + quantity;";
const RIGHT = "sum += price * quantity;";

/**
 * Where reality is not what the script was written for, the model says so and stops. `paceMs` is how long it seems to
 * think: nothing is shown so fast that nobody can follow.
 */
export function demoScript(paceMs: number, steps: readonly Step[] = repairing): Script {
  return steps.map((step) => (request) => ({ delayMs: paceMs, ...step(request) }));
}

const repairing: readonly Step[] = [
  () => calling("I run the tests first.", "Bash", { command: TEST_COMMAND }),
  (request) =>
    /12\.50/.test(lastResult(request))
      ? calling("One test fails: a cart of **12.50** comes out wrong. I read the code.", "Read", {
          path: "src/cart.js",
        })
      : { text: "The tests do not fail as expected, so there is nothing for me to repair." },
  (request) =>
    lastResult(request).includes(WRONG)
      ? calling("`total` adds price and quantity where it should multiply them.", "Edit", {
          path: "src/cart.js",
          edits: [{ oldText: WRONG, newText: RIGHT }],
        })
      : { text: "The code is not what I expected, so I change nothing." },
  () => calling("Now the tests again.", "Bash", { command: TEST_COMMAND }),
  (request) =>
    /fail 0\b/.test(lastResult(request))
      ? { text: "All tests pass. `total` in `src/cart.js` now multiplies each price by its quantity." }
      : { text: "The tests still fail after my change." },
];

export function calling(text: string, name: string, input: unknown): ScriptedStep {
  return { text, toolCalls: [{ name, input }] };
}

/** The text of the newest tool result, as the model is shown it. */
export function lastResult({ prompt }: ScriptedRequest): string {
  const message = prompt.filter(({ role }) => role === "tool").at(-1);
  return JSON.stringify(message?.content ?? "");
}
