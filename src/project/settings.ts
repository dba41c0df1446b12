/** Reads a project's settings: flags win over the settings file, and that over the environment. */
import { statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { HaftError } from "../base/errors.ts";
import type { ExecuteOptions } from "../core/execute.ts";
import type { Model } from "../core/model.ts";
import type { ToolEntry } from "../core/tool.ts";
import { checkMode } from "./choose-mode.ts";
import { namedModel } from "./choose-model.ts";
import { checkSandboxName } from "./choose-sandbox.ts";
import { chooseTools } from "./choose-tools.ts";
import type { ProjectConfig } from "./config.ts";
import { type LoadedConfig, loadConfig } from "./load-config.ts";

export const DEFAULT_ITERATIONS = 50;

/** Enough to find a project's sessions. */
export interface StoreFlags {
  /** Default: the process's. */
  cwd?: string;
  /** The settings file; false for none. Default: the one in `cwd`, if there is one. */
  config?: string | boolean;
}

export interface SettingFlags extends StoreFlags {
  /** `"provider:model-name"`; several with commas are a fallback chain. */
  model?: string;
  /** `"read,bash"`, or a set: `"coding"`, `"read-only"`, `"none"`. */
  tools?: string;
  sandbox?: string;
  /** `"tools"` or `"code"`. */
  mode?: string;
  maxIterations?: number;
  approvals?: ExecuteOptions["approvals"];
  /** false: AGENTS.md, CLAUDE.md and skills are not read. Here, true only means that nobody said false. */
  contextFiles?: boolean;
}

export interface Settings {
  /** Absolute. */
  cwd: string;
  config: ProjectConfig;
  /** The settings file that was read. */
  configPath: string | undefined;
  /** undefined: nobody named one. */
  model: Model | undefined;
  tools: ToolEntry[];
  sandbox: string;
  /** Who named the sandbox, for people. */
  sandboxReason: string;
  mode: ExecuteOptions["mode"];
  iterations: number;
  approvals: ExecuteOptions["approvals"];
  contextFiles: boolean;
  env: Record<string, string | undefined>;
}

/**
 * Opens nothing, and asks nobody.
 *
 * @throws HaftError CWD_INVALID, CONFIG_MISSING, CONFIG_FAILED, CONFIG_INVALID, TOOLS_UNKNOWN, SANDBOX_UNKNOWN,
 * MODE_UNKNOWN
 */
export async function readSettings(
  flags: SettingFlags = {},
  env: Record<string, string | undefined> = process.env,
): Promise<Settings> {
  const { cwd, config, path } = await readStoreSettings(flags);
  const sandbox = flags.sandbox ?? config.sandbox ?? "auto";
  checkSandboxName(sandbox);
  const mode = flags.mode ?? config.mode;
  checkMode(mode);
  return {
    cwd,
    config,
    configPath: path,
    model: namedModel(flags.model, config, env),
    tools: await chooseTools(flags.tools ?? config.tools),
    sandbox,
    sandboxReason: sandboxReason(flags, config, path),
    mode,
    iterations: flags.maxIterations ?? config.iterations ?? DEFAULT_ITERATIONS,
    approvals: flags.approvals ?? config.approvals,
    contextFiles: flags.contextFiles !== false && config.contextFiles !== false,
    env,
  };
}

/**
 * The folder and its settings file, and nothing that a run needs beside.
 *
 * @throws HaftError CWD_INVALID, CONFIG_MISSING, CONFIG_FAILED, CONFIG_INVALID
 */
export async function readStoreSettings(flags: StoreFlags = {}): Promise<LoadedConfig & { cwd: string }> {
  const cwd = existingFolder(flags.cwd ?? process.cwd());
  if (flags.config === false) return { cwd, config: {} };
  return { cwd, ...(await loadConfig(cwd, typeof flags.config === "string" ? flags.config : undefined)) };
}

function sandboxReason(flags: SettingFlags, config: ProjectConfig, path: string | undefined): string {
  if (flags.sandbox !== undefined) return "as --sandbox says";
  return config.sandbox === undefined ? "the default" : `as ${basename(path!)} says`;
}

function existingFolder(path: string): string {
  const folder = resolve(path);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder;
  throw new HaftError("CWD_INVALID", `${folder} is not a folder.`, { hint: "Name one that exists: --cwd <folder>." });
}
