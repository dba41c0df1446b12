/** What is measured of programs: the same program for every library, and a tool that counts. */
import { counters, resetCounters } from "./scenario.mjs";

/** `codeN`: one program, N calls one after the other. `codefresh`: one that does nothing. `codemem`: one call that waits. */
export function makeProgram(task) {
  const calls = { codefresh: 0, codemem: 1 }[task] ?? Number.parseInt(task.slice("code".length), 10);
  const gate = task === "codemem" ? makeGate() : undefined;
  return {
    calls,
    answer: String((calls * (calls + 1)) / 2),
    isHeld: gate !== undefined,
    release: () => gate?.open(),
    /** As a model writes it; leaves the number `sum`. `add` is how the library names the tool. */
    code: (add) =>
      calls === 0
        ? "const sum = 0;"
        : [
            "let sum = 0;",
            `for (let index = 0; index < ${calls}; index++) {`,
            `  const result = await ${add}({ a: index, b: 1 });`,
            "  sum += result.sum;",
            "}",
          ].join("\n"),
    async tool({ a, b }) {
      counters.toolCalls++;
      if (gate) await gate.passed;
      return { sum: a + b };
    },
  };
}

function makeGate() {
  let open;
  const passed = new Promise((resolve) => {
    open = resolve;
  });
  return { open, passed };
}

/** One process: CPU of one program. */
export async function measureCpu(peer, library, task, { runs, warmUp }) {
  const program = makeProgram(task);
  const agent = await peer.makeProgram(library, program);
  const repeat = async (times) => {
    for (let index = 0; index < times; index++) checkAnswer(await agent.run(), program);
    await checkCalls(agent, times * program.calls);
  };
  await repeat(1 + warmUp);
  const before = cpuMs(agent);
  const started = performance.now();
  await repeat(runs);
  const result = { cpuMs: (cpuMs(agent) - before) / runs, wallMs: (performance.now() - started) / runs };
  await agent.close?.();
  return result;
}

/** Of this process with all its threads, and of those that the library started. */
function cpuMs(agent) {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + (agent.cpuMs?.() ?? 0);
}

/** One process: KB for a program that waits for its tool, of many that do so at the same time. */
export async function measureMemory(peer, library, task, { programs }) {
  const warm = await peer.makeProgram(library, { ...makeProgram("code1") });
  await warm.run();
  await warm.close?.();
  resetCounters();

  const program = makeProgram(task);
  const agent = await peer.makeProgram(library, program);
  const before = await memory(agent);
  const held = Array.from({ length: programs }, () => agent.run());
  held.map((run) => run.catch(() => {})); // is awaited below
  await Promise.race([untilWaiting(agent, programs), Promise.all(held)]);
  const during = await memory(agent);
  if (agent.release) await agent.release();
  else program.release();
  for (const answer of await Promise.all(held)) checkAnswer(answer, program);
  await checkCalls(agent, programs);
  await agent.close?.();
  const perProgram = (key) => (during[key] - before[key]) / programs / 1024;
  return { rssKb: perProgram("rss"), heapKb: agent.rss ? undefined : perProgram("heap") };
}

async function memory(agent) {
  for (let pass = 0; pass < 3; pass++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rss: rss + (agent.rss?.() ?? 0), heap: heapUsed + external };
}

async function untilWaiting(agent, programs) {
  const deadline = performance.now() + 60_000;
  while ((await callsOf(agent)) < programs) {
    if (performance.now() > deadline) throw new Error(`only ${await callsOf(agent)} of ${programs} programs wait`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** One process: what the declaration of a tool costs, as the difference that twenty tools make to what a model is sent. */
export async function measureTokens(peer, library) {
  const [{ twentyTools }, { encode }] = await Promise.all([
    import("./twenty-tools.mjs"),
    import("gpt-tokenizer/encoding/o200k_base"),
  ]);
  const tools = twentyTools(library.z);
  const [sent, sentWithout] = [await peer.promptOf(library, tools), await peer.promptOf(library, [])];
  const missing = tools.filter(({ description }) => !sent.includes(description));
  if (missing.length > 0) throw new Error(`the model is not told of ${missing.map(({ name }) => name).join(", ")}`);
  return { tokens: (encode(sent).length - encode(sentWithout).length) / tools.length };
}

function checkAnswer(answer, program) {
  if (answer !== program.answer) throw new Error(`wrong answer: ${JSON.stringify(answer)}, not ${program.answer}`);
}

/** A library that made other calls than asked is an error, not a number. */
async function checkCalls(agent, wanted) {
  const made = await callsOf(agent);
  if (made !== wanted) throw new Error(`toolCalls: ${made} instead of ${wanted}`);
  resetCounters();
  await agent.resetCalls?.();
}

async function callsOf(agent) {
  return agent.calls ? agent.calls() : counters.toolCalls;
}
