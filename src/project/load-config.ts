/** Finds and loads a project's `agent.config.ts`: TypeScript, run in this process with the user's rights. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";
import { HaftError, messageOf } from "../base/errors.ts";
import { checkConfig } from "./check-config.ts";
import type { ProjectConfig } from "./config.ts";

const names = ["agent.config.ts", "agent.config.mts", "agent.config.js", "agent.config.mjs"];

export interface LoadedConfig {
  config: ProjectConfig;
  /** undefined when there is no such file. */
  path?: string;
}

/**
 * The settings in `cwd`, or those of the file that was named; none at all when nothing was named and there is no file.
 *
 * @throws HaftError CONFIG_MISSING (the named file), CONFIG_FAILED (it threw while loading), CONFIG_INVALID
 */
export async function loadConfig(cwd: string, named?: string): Promise<LoadedConfig> {
  const path = named === undefined ? find(cwd) : resolve(cwd, named);
  if (!path) return { config: {} };
  if (!existsSync(path)) {
    throw new HaftError("CONFIG_MISSING", `There is no settings file ${named}.`, {
      hint: `Name one that exists, or leave --config out: ${names[0]} in the working folder is found by itself.`,
    });
  }
  return { config: checkConfig(await load(path), basename(path)), path };
}

function find(cwd: string): string | undefined {
  return names.map((name) => join(cwd, name)).find((path) => existsSync(path));
}

async function load(path: string): Promise<unknown> {
  const { createJiti } = await import("jiti");
  const jiti = createJiti(import.meta.url, { fsCache: false, moduleCache: false, alias: ownEntries() });
  try {
    return await jiti.import(path, { default: true });
  } catch (thrown) {
    throw new HaftError("CONFIG_FAILED", `${basename(path)} cannot be loaded: ${firstLine(messageOf(thrown))}`, {
      hint: `Correct ${path}, or go without it: --no-config.`,
      cause: thrown,
    });
  }
}

/** A command that is installed globally serves `import … from "haft"` in projects that did not install Haft. */
function ownEntries(): Record<string, string> {
  const require = createRequire(import.meta.url);
  const entries: Record<string, string> = {};
  // The longest first: an alias also matches what begins with it.
  for (const name of ["haft/tools", "haft/sandbox", "haft/models", "haft/stores", "haft/testing", "haft"]) {
    try {
      entries[name] = require.resolve(name);
    } catch {
      // Not built: a project that has its own copy still finds that one.
    }
  }
  return entries;
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0]!.trim();
}
