/** A worker that is killed in the middle of its work, and another one that goes on where it was: run it twice. */
import { Agent, Tool } from "haft";
import { sqliteStore } from "haft/stores";
import { scriptedModel } from "haft/testing";

const [what] = process.argv.slice(2);
const step = new Tool({
  name: "step",
  handler: ({ number }) => {
    console.log(`step ${number}`);
    if (what === "--crash" && number === 2) process.kill(process.pid, "SIGKILL");
    return `did step ${number}`;
  },
});

/** One step after the other, by what the conversation has. */
const steps = ({ prompt }: { prompt: any[] }) => {
  const done = prompt.filter(({ role }) => role === "tool").length;
  return done < 3 ? { toolCalls: [{ name: "step", input: { number: done + 1 } }] } : "All three steps are done.";
};

const store = sqliteStore("work.db");
const model = process.env.HAFT_MODEL || scriptedModel([steps, steps, steps, steps]);
const agent = new Agent({ name: "worker", model, tools: [step], store });
const session = agent.session({ id: "work", leaseMs: 500 }); // a short one: who was killed keeps it no longer
let result = await (what === "--crash" ? session.run("Do the three steps.") : session.resume());
if (result.isInterrupted()) {
  for (const { callId, message } of result.pending) {
    console.log(message);
    await session.decide(callId, { value: "looked at: step 2 is done" });
  }
  result = await session.resume();
}
console.log(result.isError() ? result.error.message : result.output);
await agent.close();
await store.close();
