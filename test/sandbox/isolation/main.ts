/**
 * `npm run test:sandbox`: every attack, on every kind of sandbox that is present, as this user and, when this user is root,
 * as a plain one. Prints one table, and fails when anything is not as expected.
 *
 * Options: --write puts the table into THREAT_MODEL.md; --only <regular expression> takes some attacks, by id;
 * --kind <name> takes one kind; --verbose shows each result as it comes.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { runAsPlainUser } from "./as-plain-user.ts";
import { attacks } from "./attacks.ts";
import { kinds } from "./kinds.ts";
import { buildProbe } from "./probe.ts";
import { isWrong, type Result, wordFor } from "./results.ts";
import { type RunOptions, runHere } from "./run-here.ts";
import { tableOf } from "./table.ts";
import { writeTable } from "./threat-model.ts";

const { values: args } = parseArgs({
  options: {
    write: { type: "boolean", default: false },
    verbose: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    kind: { type: "string" },
    report: { type: "string" },
  },
});

const chosen = attacks.filter(({ id }) => new RegExp(args.only).test(id));
const options: RunOptions = {
  kinds: kinds.filter(({ name }) => args.kind === undefined || name === args.kind),
  probe: buildProbe(),
  onResult: (result) => {
    if (args.verbose || isWrong(result)) console.log(lineFor(result));
  },
};

const results = await runHere(chosen, options);
if (args.report) {
  writeFileSync(args.report, JSON.stringify(results));
} else {
  await finish();
}
process.exit();

async function finish(): Promise<void> {
  if (process.getuid?.() === 0) results.push(...(await runAsPlainUser(chosen, ownArguments(), options)));
  const table = tableOf(chosen, results);
  console.log(`\n${table}\n`);
  if (args.write) writeTable(table);

  const wrong = results.filter(isWrong);
  const ran = results.filter(({ verdict }) => verdict.type === "ran");
  for (const result of wrong) console.log(lineFor(result));
  console.log(`${ran.length} attempts, ${wrong.length} not as expected`);
  process.exitCode = wrong.length > 0 ? 1 : 0;
}

function ownArguments(): string[] {
  return ["--only", args.only, ...(args.kind ? ["--kind", args.kind] : []), ...(args.verbose ? ["--verbose"] : [])];
}

function lineFor(result: Result): string {
  const { id, kind, user, verdict } = result;
  const start = `${id} ${kind} as ${user}: ${wordFor(verdict)}`;
  if (verdict.type !== "ran") return `${start}, ${verdict.reason}`;
  const wanted = verdict.isRight ? "" : `, expected ${verdict.expected}`;
  return `${start}${wanted} (${Math.round(verdict.durationMs)} ms) ${verdict.detail}`;
}
