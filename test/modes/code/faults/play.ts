/** Plays random programs to their end, through every stop, and from every place where their log may break off. */
import type { Entry } from "../../../../src/core/log.ts";
import { type Decision, type ExecuteResult, execute, Snapshot, SnapshotSignal, Tool } from "../../../../src/index.ts";
import { scriptedModel } from "../../../../src/testing/index.ts";
import { lastReport, mode, program } from "../support.ts";
import { type Random, randomFrom, randomPrograms } from "./random-program.ts";

/** What one process did. */
interface Process {
  result: ExecuteResult;
  log: Entry[];
  /** The keys of the calls whose handler was started. */
  started: string[];
  /** What the model read of its last program. */
  report: string | undefined;
}

export interface Played {
  prefixes: number;
  stops: number;
  faults: string[];
}

/** `every`: from every n-th place of the log, the first one at random. */
export async function play(seed: number, every: number): Promise<Played> {
  const random = randomFrom(seed);
  const codes = randomPrograms(random);
  const faults: string[] = [];
  const whole = await toTheEnd(codes, [], random);
  const fault = (what: string) => faults.push(`seed ${seed}: ${what}`);
  if (whole.last.result.status !== "success")
    return { prefixes: 0, stops: 0, faults: [`seed ${seed}: ${why(whole.last.result)}`] };
  for (const name of twice(whole.started)) fault(`${name} was started twice`);

  let prefixes = 0;
  for (let length = 1 + Math.floor(random() * every); length < whole.log.length; length += every) {
    prefixes++;
    const prefix = throughJson(whole.log.slice(0, length));
    const over = new Set(prefix.flatMap(({ type, key }) => (type === "tool-end" ? [key] : [])));
    const { last, started } = await toTheEnd(codes, prefix, random);
    if (last.result.status !== "success") fault(`from ${length}: ${why(last.result)}`);
    for (const key of started) if (over.has(key)) fault(`from ${length}: ${key} had ended, and was started again`);
  }
  await again(codes, whole.log, whole.last.report, fault);
  return { prefixes, stops: whole.stops, faults };
}

/** Everything but the ends of programs is in the log: they run again from it alone, and say the same. */
async function again(
  codes: readonly string[],
  log: readonly Entry[],
  report: string | undefined,
  fault: (what: string) => void,
) {
  const end = log.map(({ type }) => type).lastIndexOf("program-end");
  const { started, report: second } = await goOn(codes, throughJson(log.slice(0, end)));
  if (started.length > 0) fault(`the replay started ${started.join(", ")}`);
  if (second !== report) fault(`the replay says\n${second}\nand not\n${report}`);
}

async function toTheEnd(codes: readonly string[], from: readonly Entry[], random: Random) {
  const started: string[] = [];
  let stops = 0;
  let last = await goOn(codes, from);
  started.push(...last.started);
  while (last.result.isInterrupted() && stops < 60) {
    stops++;
    last = await goOn(codes, decideSome(last.result, random));
    started.push(...last.started);
  }
  return { last, started, stops, log: last.log };
}

async function goOn(codes: readonly string[], given: readonly Entry[] | Snapshot): Promise<Process> {
  const entries = given instanceof Snapshot ? given.entries : given;
  const started: string[] = [];
  const answered = entries.filter(({ type }) => type === "model-response").length;
  const model = scriptedModel([...codes.map(program), "the end"].slice(answered));
  const options = entries.length === 0 ? { prompt: "go" } : { log: given };
  const run = execute({ model, mode, tools: toolsThatNote(started), ...options });
  const log: Entry[] = [...entries];
  for await (const event of run) if ("seq" in event) log.push(event);
  const request = model.requests.at(-1);
  return { result: await run, log, started, report: request && lastReport(request) };
}

function toolsThatNote(started: string[]): Tool[] {
  const tool = (name: string, handler: (input: any) => unknown) =>
    new Tool({
      name,
      idempotent: true,
      async handler(input, { callId }) {
        started.push(callId);
        return await handler(input);
      },
    });
  return [
    tool("work", async ({ u, r }) => {
      await wait(hash(`wait ${u}`) % 4);
      return { u, value: hash(`value ${u} ${r}`) };
    }),
    tool("fails", ({ u }) => {
      if (hash(`fails ${u}`) % 2) throw Object.assign(new Error(`no ${u}`), { code: `C${u}` });
      return u;
    }),
    new Tool({
      name: "ask",
      handler() {
        throw new SnapshotSignal("someone has to say");
      },
    }),
  ];
}

/** Through JSON, as another process would have it; not always all that wait are decided. */
function decideSome(result: ExecuteResult, random: Random): Snapshot {
  if (!result.isInterrupted()) throw new Error("nothing waits");
  let snapshot = Snapshot.from(JSON.stringify(result.snapshot));
  const { pending } = snapshot;
  const chosen = pending.length > 1 && random() < 0.5 ? [pending[Math.floor(random() * pending.length)]!] : pending;
  for (const { callId } of chosen) {
    const decision: Decision = random() < 0.2 ? { deny: "no" } : { value: { yes: true } };
    snapshot = snapshot.decide(callId, decision);
  }
  return snapshot;
}

function throughJson(log: readonly Entry[]): Entry[] {
  return JSON.parse(JSON.stringify(log));
}

function twice(keys: readonly string[]): string[] {
  return keys.filter((key, index) => keys.indexOf(key) !== index);
}

function why(result: ExecuteResult): string {
  return result.isError() ? `${result.error.code} ${result.error.message}` : result.status;
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

function hash(text: string): number {
  let value = 7;
  for (const char of text) value = (Math.imul(value, 31) + char.charCodeAt(0)) | 0;
  return value >>> 0;
}
