/** One process: one peer, one task. Prints one line of JSON. */
import { measureCpu, measureMemory, measureTokens } from "./programs.mjs";
import { counters, finalText, makeScenario, resetCounters } from "./scenario.mjs";

const [, , peerName, task, optionsJson] = process.argv;
const options = JSON.parse(optionsJson);
const { runs = 1, warmUp = 0, concurrent, latencyMs } = options;

const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

function report(result) {
  const line = JSON.stringify({ ...result, maxRssMb: process.resourceUsage().maxRSS / 1024 });
  process.stdout.write(`${line}\n`, () => process.exit(0));
}

/** A peer that did other work than asked is an error, not a number. */
function check(times, { expect }) {
  for (const [what, count] of Object.entries(expect)) {
    if (counters[what] !== count * times) throw new Error(`${what}: ${counters[what]} instead of ${count * times}`);
  }
  resetCounters();
}

async function main() {
  const startCpu = cpuMs();
  const peer = await import(`./peers/${peerName}/peer.mjs`);
  const library = await peer.load();
  if (task === "import") return report({ cpuMs: cpuMs() - startCpu });

  if (task === "codetokens") return report(await measureTokens(peer, library));
  if (task === "codemem") return report(await measureMemory(peer, library, task, options));
  if (task.startsWith("code")) return report(await measureCpu(peer, library, task, options));

  const scenario = makeScenario(task.split(":")[0], { latencyMs });
  const agent = await peer.makeAgent(library, scenario);
  const once = scenario.streams
    ? () => agent.stream((text) => (counters.characters += text.length))
    : () => runOnce(agent);

  await once();
  check(1, scenario);
  if (concurrent) {
    globalThis.gc?.();
    const before = cpuMs();
    const started = performance.now();
    await Promise.all(Array.from({ length: concurrent }, once));
    check(concurrent, scenario);
    return report({ cpuMs: cpuMs() - before, wallMs: performance.now() - started });
  }
  for (let index = 0; index < warmUp; index++) await once();
  if (warmUp) check(warmUp, scenario);
  const before = cpuMs();
  const started = performance.now();
  for (let index = 0; index < runs; index++) await once();
  check(runs, scenario);
  report({ cpuMs: (cpuMs() - before) / runs, wallMs: (performance.now() - started) / runs });
}

async function runOnce(agent) {
  const text = await agent.run();
  if (text !== finalText) throw new Error(`wrong answer: ${JSON.stringify(text)}`);
}

main().catch((error) => {
  process.stdout.write(`${JSON.stringify({ error: String(error?.message ?? error).slice(0, 200) })}\n`, () =>
    process.exit(1),
  );
});
