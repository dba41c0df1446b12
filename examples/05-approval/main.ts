/** A program that waits for somebody, in a file, and goes on in another process: run it, then again with --approve or --deny. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { execute, Snapshot, Tool } from "haft";
import { scriptedModel } from "haft/testing";
import { z } from "zod";

const balance = new Tool({
  name: "balance",
  input: z.object({ account: z.string() }),
  output: z.number(),
  handler: ({ account }) => {
    console.log(`looking at ${account}`);
    return 900;
  },
});
const transfer = new Tool({
  name: "transfer",
  input: z.object({ from: z.string(), to: z.string(), amount: z.number() }),
  output: z.string(),
  approval: ({ amount, to }) => `${amount} would go to ${to}`,
  handler: ({ amount, to }) => `${amount} went to ${to}`,
});

const code = `
const half = (await balance({ account: "household" })) / 2;
return await transfer({ from: "household", to: "savings", amount: half });
`;
const asks = scriptedModel([{ toolCalls: [{ name: "run_program", input: { code } }] }]);
const tells = scriptedModel([({ prompt }) => prompt.at(-1).content[0].output.value.split("\n")[0]]);

const file = "waiting.json";
const [answer] = process.argv.slice(2);
const result = await execute({
  model: process.env.HAFT_MODEL || (answer ? tells : asks),
  mode: "code",
  tools: [balance, transfer],
  prompt: "Move half of what is on the household account to the savings.",
  ...(answer && { log: decided() }),
});
if (result.isInterrupted()) {
  writeFileSync(file, JSON.stringify(result.snapshot));
  console.log(`waits in ${file}: ${result.pending[0]?.message}. Go on with --approve or --deny`);
} else {
  rmSync(file, { force: true });
  console.log(result.isError() ? result.error.message : result.output);
}

function decided(): Snapshot {
  const snapshot = Snapshot.from(readFileSync(file, "utf8"));
  const decision = answer === "--approve" ? ({ approve: true } as const) : { deny: "not this month" };
  return snapshot.decide(snapshot.pending[0]!.callId, decision);
}
