/** What the model of the demo of programs says: one program, and a sentence when it has ended. */
import type { ScriptedStep } from "../../testing/scripted-model.ts";
import { TEST_COMMAND } from "./demo-folder.ts";
import { calling, lastResult, type Step } from "./script.ts";

/** Where the number stands that the program draws before its process ends, and knows after it. */
export const REPAIR_FILE = "repair.txt";

const program = `
const tests = "${TEST_COMMAND}";
const failures = (text: string) => Number(/fail (\\d+)/.exec(text)?.[1]);

const before = await Bash({ command: tests });
const [code, expected] = await Promise.all([
  Read({ path: "src/cart.js" }),
  Read({ path: "test/cart.test.js" }),
]);
const repair = crypto.randomUUID().slice(0, 8);
await Bash({ command: \`echo "repair \${repair}" > ${REPAIR_FILE}\` });

const wrong = "price + quantity";
if (!code.includes(wrong) || !expected.includes("12.50")) {
  throw new Error("This is not the mistake that I know");
}
const edits = [{ oldText: wrong, newText: "price * quantity" }];
await Edit({ path: "src/cart.js", edits });

const after = await Bash({ command: tests });
return { repair, before: failures(before), after: failures(after) };
`.trim();

/** Of the first process. */
export const writing: Step = () =>
  calling("One program does it: test, read, note, repair, test again.", "run_program", { code: program });

/** Of the process that goes on: it sees what the program returned. */
export const closing: Step = (request): ScriptedStep => {
  const result = lastResult(request);
  const [, repair] = /repair: \\*"(\w+)/.exec(result) ?? [];
  return repair && /after: 0\b/.test(result)
    ? { text: `All tests pass. It is repair **${repair}**: the number that the program drew before it was stopped.` }
    : { text: "The program did not do what I wrote it for." };
};
