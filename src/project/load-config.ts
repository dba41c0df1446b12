/** Finds and loads a project's `agent.config.ts`: TypeScript, run in this process with the user's rights. */
import { existsSync, readFileSync } from "node:fs";
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
  const virtualModules = await ownModules(readFileSync(path, "utf8"));
  const jiti = createJiti(import.meta.url, {
    fsCache: false,
    moduleCache: false,
    interopDefault: false,
    virtualModules,
  });
  try {
    const module = await jiti.import<{ default?: unknown }>(path);
    return module.default;
  } catch (thrown) {
    throw new HaftError("CONFIG_FAILED", `${basename(path)} cannot be loaded: ${firstLine(messageOf(thrown))}`, {
      hint: `Correct ${path}, or go without it: --no-config.`,
      cause: thrown,
    });
  }
}

const ownEntries: Record<string, () => Promise<unknown>> = {
  haft: () => import("../index.ts"),
  "haft/tools": () => import("../tools/index.ts"),
  "haft/project": () => import("./config.ts"),
  "haft/sandbox": () => import("../sandbox/index.ts"),
  "haft/models": () => import("../models/index.ts"),
  "haft/code": () => import("../vm/index.ts"),
  "haft/stores": () => import("../stores/index.ts"),
  "haft/testing": () => import("../testing/index.ts"),
};

/** Loaded whether the settings file names them or not: files that it imports may, and a run needs them anyway. */
const always = ["haft", "haft/tools", "haft/project"];

/** What a settings file imports from Haft is this very copy, also in a project that did not install one. */
async function ownModules(text: string): Promise<Record<string, unknown>> {
  const modules: Record<string, unknown> = {};
  for (const [name, load] of Object.entries(ownEntries)) {
    if (always.includes(name) || text.includes(name)) modules[name] = await load();
  }
  return modules;
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0]!.trim();
}
