/** The heart: twelve secrets, a hostile model and hostile commands, and everything that leaves a run is searched. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { execute, type RunEvent, Tool } from "../../../src/index.ts";
import { local, virtual } from "../../../src/sandbox/index.ts";
import { fileStore } from "../../../src/stores/index.ts";
import { scriptedModel } from "../../../src/testing/index.ts";
import { Bash, Command, codingTools, searchTools } from "../../../src/tools/index.ts";
import { findings, harmless, samples } from "../../core/redact/samples.ts";
import { tempFolder } from "../../tools/helpers.ts";
import { hostileProgram, hostileScript, hostileTool, plantFiles } from "./hostile.ts";

const secrets = Object.fromEntries(Object.entries(samples).map(([name, value]) => [name, { static: value }]));
const program = "leak.mjs";

/** Every text that is anywhere in a value, and the value as JSON and as it is inspected. */
function textsOf(value: unknown): string {
  const found: string[] = [];
  const walk = (item: unknown): void => {
    if (typeof item === "string") found.push(item);
    else if (typeof item === "object" && item !== null)
      for (const [key, inner] of Object.entries(item)) {
        found.push(key);
        walk(inner);
      }
  };
  walk(value);
  return [
    ...found,
    JSON.stringify(value),
    inspect(value, { depth: 30, maxStringLength: null, maxArrayLength: null }),
  ].join("\n");
}

/** Live text as somebody sees it: the pieces of one call, one after the other. */
function seenLive(events: readonly RunEvent[]): string {
  const streams = new Map<string, string>();
  for (const event of events) {
    if (!("text" in event)) continue;
    const key = `${event.type} ${event.key} ${"id" in event ? event.id : ""}`;
    streams.set(key, (streams.get(key) ?? "") + event.text);
  }
  return [...streams.values()].join("\n\n");
}

async function filesIn(folder: string): Promise<string> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile());
  const texts = files.map(async ({ parentPath, name }) => `${name}\n${await readFile(join(parentPath, name), "utf8")}`);
  return (await Promise.all(texts)).join("\n");
}

const logged: unknown[] = [];
const note = (...values: unknown[]) => void logged.push(values);
const logger = { debug: note, info: note, warn: note, error: note };

async function hostileRun(
  sandbox: Awaited<ReturnType<typeof local>>,
  calls: { name: string; input: unknown }[],
  watches: boolean,
) {
  const sessions = await tempFolder();
  const model = scriptedModel(hostileScript(calls));
  const traced: unknown[] = [];
  const run = execute({
    model,
    sandbox,
    secrets,
    logger,
    instructions: () => `Never say ${samples.GITHUB}, ${samples.PHRASE} or ${encodeURIComponent(samples.DATABASE!)}.`,
    messages: [`Earlier I said ${samples.UNICODE}`],
    prompt: `The keys are ${Object.values(samples).join(" and ")}`,
    tools: [
      ...codingTools(),
      ...searchTools(),
      [Command, { command: "node", description: `with ${samples.LONG}` }],
      hostileTool,
    ],
    store: fileStore(sessions),
    session: "hostile",
    hooks: {
      onTrace: ({ trace }) => void traced.push(trace),
      onIterationEnd: () => {
        throw new Error(`hook ${samples.QUOTED}`);
      },
    },
    assigns: {},
  });
  run.steer(`and ${samples.JSON_LIKE}`);
  const events: RunEvent[] = [];
  if (watches) for await (const event of run) events.push(event);
  const result = await run;
  const { status, messages, iterations, output } = result as any;
  const all = {
    requests: model.requests.map(({ abortSignal: _, ...request }) => request),
    ...{ events, traced, logged, status, messages, iterations, output },
    result: JSON.parse(JSON.stringify(result)),
    entries: await fileStore(sessions).read("hostile"),
  };
  return { all, files: await filesIn(sessions), events };
}

describe("nothing of a secret leaves a run", () => {
  test.each([true, false])("with real commands, watched: %s", { timeout: 120_000 }, async (watches) => {
    const folder = await tempFolder();
    await plantFiles(folder);
    await using sandbox = Object.assign(await local({ cwd: folder }), {
      [Symbol.asyncDispose]: async () => {},
    });
    const calls = [
      { name: "Bash", input: { command: `node ${program}` } },
      { name: "Bash", input: { command: `node ${program}; exit 3` } },
      { name: "Bash", input: { command: `node ${program}; sleep 60`, timeout: 5 } },
      { name: "Bash", input: { command: 'echo "$GITHUB" | base64 -w 20; printf %s "$LONG" | base64; env' } },
      { name: "Node", input: { args: [program] } },
      { name: "Node", input: { args: ["-e", `throw new Error(${JSON.stringify(samples.GITHUB)})`] } },
    ];
    const { all, files, events } = await hostileRun(sandbox, calls, watches);
    await sandbox.dispose();
    expect(all.status).toBe("success");
    for (const [what, value] of Object.entries(all)) expect([what, findings(textsOf(value))]).toEqual([what, []]);
    expect(findings(seenLive(events))).toEqual([]);
    expect(findings(files)).toEqual([]);
    // Long outputs are cut, and are whole in a file of the sandbox.
    const saved = (await readdir(join(folder, ".haft/output")).catch(() => [])).filter((name) => name.endsWith(".log"));
    for (const name of saved) expect(findings(await readFile(join(folder, ".haft/output", name), "utf8"))).toEqual([]);
    // It was said, or the test would say nothing.
    const text = JSON.stringify(all.entries);
    for (const name of Object.keys(samples)) expect(text).toContain(`[REDACTED:${name}]`);
    if (watches)
      for (const type of ["text-delta", "reasoning-delta", "tool-output", "tool-input-delta"])
        expect(events.map((event) => event.type)).toContain(type);
  });

  test("with the simulated shell", { timeout: 120_000 }, async () => {
    const sandbox = await virtual();
    const command = `for x in ${Object.keys(samples).join(" ")}; do printenv $x; printenv $x | base64; printenv $x | base64 -w 0; printenv $x | rev; done; env`;
    const { all, files, events } = await hostileRun(sandbox, [{ name: "Bash", input: { command } }], true);
    for (const [what, value] of Object.entries(all)) expect([what, findings(textsOf(value))]).toEqual([what, []]);
    expect(findings(seenLive(events))).toEqual([]);
    expect(findings(files)).toEqual([]);
    expect(JSON.stringify(all.entries)).toContain("[REDACTED:GITHUB]");
    await sandbox.dispose();
  });

  test("the program does say them, to whoever does not listen through a run", async () => {
    const folder = await tempFolder();
    await plantFiles(folder);
    const sandbox = await local({ cwd: folder });
    const { combined } = await sandbox.exec(["node", program], { env: samples });
    await sandbox.dispose();
    expect(findings(Buffer.from(combined).toString()).length).toBeGreaterThan(150);
    expect(hostileProgram).toContain("formsFor");
  });

  test("twenty harmless outputs pass byte for byte", async () => {
    const say = new Tool({ name: "say", handler: ({ index }: { index: number }) => harmless[index] });
    const sandbox = await local({ cwd: await tempFolder() });
    const toolCalls = harmless.flatMap((text, index) => [
      { id: `say_${index}`, name: "say", input: { index } },
      {
        id: `bash_${index}`,
        name: "Bash",
        input: { command: `printf %s ${JSON.stringify(text).replace(/[$`]/g, "\\$&")}` },
      },
    ]);
    const model = scriptedModel([{ toolCalls }, { pieces: harmless.flatMap((text) => [...text]) }]);
    const run = execute({ model, tools: [say, Bash], sandbox, secrets, prompt: "go" });
    const events: RunEvent[] = [];
    for await (const event of run) events.push(event);
    const result = await run;
    await sandbox.dispose();
    expect(harmless).toHaveLength(20);
    const outputs = new Map(
      events.flatMap((event) => (event.type === "tool-end" && event.name === "say" ? [[event.key, event.output]] : [])),
    );
    expect([...outputs.values()]).toEqual(harmless);
    expect(result.output).toBe(harmless.join(""));
    expect(events.flatMap((event) => (event.type === "text-delta" ? [event.text] : [])).join("")).toBe(
      harmless.join(""),
    );
    const text = JSON.stringify(events).replaceAll("[REDACTED:NOTHING]", "");
    expect([...text.matchAll(/.{0,60}REDACTED.{0,40}/g)].map(([found]) => found)).toEqual([]);
  });
});
