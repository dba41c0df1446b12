/**
 * Makes a log of the corpus with another version of Haft, whose sources or whose build are in a folder (programs need a build):
 * `node --import jiti/register test/stores/corpus/make.ts <checkout>/dist <scenario> <file>`.
 */
import { copyFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scenario } from "./scenarios.ts";

async function main([folder, name, target]: string[]): Promise<void> {
  const load = (file: string) => import(join(folder!, folder!.endsWith("dist") ? file.replace(/ts$/, "js") : file));
  const haft = await load("index.ts");
  const { fileStore } = await load("stores/index.ts");
  const { scriptedModel } = await load("testing/index.ts");
  const place = mkdtempSync(join(tmpdir(), "haft-corpus-"));
  const keep = () => copyFileSync(join(place, "s.jsonl"), target!);
  const die = () => {
    keep();
    process.kill(process.pid, "SIGKILL");
  };
  const { options, before } = scenario(name!, haft, [], die);
  const store = fileStore(place);
  const result = await haft.execute({ ...options, model: scriptedModel(before), store, session: "s", prompt: "go" });
  keep();
  console.log(name, result.status, result.error?.message ?? "");
}

await main(process.argv.slice(2));
