/** @cloudflare/codemode in workerd, by way of miniflare. It has no loop of its own: what runs is the tool that it makes. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export async function load() {
  const [{ Miniflare }, { build }, { z }] = await Promise.all([import("miniflare"), import("esbuild"), import("zod")]);
  return { Miniflare, build, z };
}

export async function makeProgram(library, program) {
  const { ask, close } = await startWorkerd(library);
  if (program.isHeld) await ask("hold");
  const code = `async () => {\n${program.code("codemode.add")}\nreturn String(sum);\n}`;
  return {
    run: async () => (await ask("run", { code })).result,
    calls: async () => (await ask("calls")).calls,
    resetCalls: () => ask("reset"),
    release: () => ask("release"),
    close,
    cpuMs: () => sumOfChildren(cpuMsOf),
    rss: () => sumOfChildren(rssOf),
  };
}

/** What a model is told of the tool that runs programs; of these twenty tools, or none. */
export async function promptOf(library, tools) {
  const { ask, close } = await startWorkerd(library);
  const { prompt } = await ask("prompt", { count: tools.length });
  await close();
  return prompt;
}

async function startWorkerd({ Miniflare, build }) {
  const bundle = await build({
    entryPoints: [fileURLToPath(new URL("host-worker.mjs", import.meta.url))],
    bundle: true,
    format: "esm",
    write: false,
    external: ["cloudflare:*", "node:*"],
    conditions: ["workerd", "import"],
    logLevel: "error",
  });
  const workerd = new Miniflare({
    modules: true,
    script: bundle.outputFiles[0].text,
    compatibilityDate: "2026-04-01",
    compatibilityFlags: ["nodejs_compat"],
    workerLoaders: { LOADER: {} },
    host: "127.0.0.1",
    port: 0,
  });
  await workerd.ready;
  const ask = async (door, input) => {
    const response = await workerd.dispatchFetch("http://bench/", { method: "POST", body: JSON.stringify({ door, ...input }) });
    const { error, ...answer } = await response.json();
    if (error) throw new Error(error);
    return answer;
  };
  return { ask, close: () => workerd.dispose() };
}

function sumOfChildren(read) {
  const threads = readdirSync("/proc/self/task");
  const children = threads.flatMap((thread) => readFileSync(`/proc/self/task/${thread}/children`, "utf8").match(/\d+/g) ?? []);
  return children.reduce((sum, pid) => sum + read(pid), 0);
}

/** Ticks are 10 ms. */
function cpuMsOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /, "").split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function rssOf(pid) {
  return Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * 4096;
}
