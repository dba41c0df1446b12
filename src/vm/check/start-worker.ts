/** Starts the thread, from what is built or from the source. */
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Worker, type WorkerOptions } from "node:worker_threads";

const options: WorkerOptions = {
  name: "haft type check",
  env: {},
  execArgv: [],
  resourceLimits: { maxOldGenerationSizeMb: 512 },
};

export function startWorker(): Worker {
  if (!import.meta.url.endsWith(".ts")) return new Worker(new URL("./worker-main.js", import.meta.url), options);
  const main = new URL("./worker-main.ts", import.meta.url).href;
  return new Worker(throughJiti(main), { ...options, eval: true });
}

/** Node 20 reads no TypeScript. */
function throughJiti(main: string): string {
  const jiti = pathToFileURL(createRequire(import.meta.url).resolve("jiti")).href;
  return `import(${JSON.stringify(jiti)}).then(({ default: { createJiti } }) =>
    createJiti(${JSON.stringify(main)}, { fsCache: false }).import(${JSON.stringify(main)}))`;
}
