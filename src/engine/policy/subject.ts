/** What a call is about, as its tool tells it, in the words that rules look at: absolute paths and a command. */
import { posix } from "node:path";
import { codeOf, HaftError } from "../../base/errors.ts";
import { describeValue, isPlainObject } from "../../base/json.ts";
import type { ToolContext } from "../../core/context.ts";
import type { SandboxAccess } from "../../core/sandbox.ts";
import type { Tool } from "../../core/tool.ts";
import type { Command } from "./command-rule.ts";
import { realPath } from "./real-path.ts";

/** As many as a sandbox gives at once. */
const MOST_LISTED = 10_000;

export interface JudgedCall {
  tool: Tool;
  /** Effective and validated: what the handler would get. */
  input: unknown;
  ctx: ToolContext;
  sandbox: SandboxAccess | undefined;
}

export interface Places {
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

/** Read once a call, whatever the number of rules. */
export class Subject implements Places {
  /** Where relative paths start. */
  readonly cwd: string;
  readonly files: readonly string[];
  readonly folders: readonly string[];
  readonly command: Command | undefined;
  readonly #sandbox: SandboxAccess | undefined;
  #real: Promise<Places> | undefined;
  readonly #listings = new Map<string, Promise<string[] | undefined>>();

  /** @throws what the tool's own `subject` throws, and HaftError `TOOL_INVALID` when it gives something else */
  constructor({ tool, input, ctx, sandbox }: JudgedCall) {
    this.#sandbox = sandbox;
    this.cwd = sandbox?.cwd ?? ctx.cwd;
    const given = tool.definition.subject?.(input, ctx) ?? {};
    if (!isPlainObject(given)) throw wrong(tool, describeValue(given));
    const { files = [], folders = [], command } = given;
    if (!isTexts(files) || !isTexts(folders)) throw wrong(tool, "paths that are no list of texts");
    if (command !== undefined && typeof command !== "string" && !isTexts(command))
      throw wrong(tool, `${describeValue(command)} as its command`);
    this.files = files.map(this.#absolute);
    this.folders = folders.map(this.#absolute);
    this.command = command;
  }

  /** The same places with the links in them followed. */
  real(): Promise<Places> {
    this.#real ??= this.#followed();
    return this.#real;
  }

  async #followed(): Promise<Places> {
    const sandbox = this.#sandbox;
    if (!sandbox) return this;
    const follow = (paths: readonly string[]) => Promise.all(paths.map((path) => realPath(path, sandbox)));
    return { files: await follow(this.files), folders: await follow(this.folders) };
  }

  /** The files that a search of this folder would look at, absolute. undefined where there is no list, or too long a one. */
  filesBelow(folder: string): Promise<string[] | undefined> {
    let listing = this.#listings.get(folder);
    if (!listing) {
      listing = this.#list(folder);
      this.#listings.set(folder, listing);
    }
    return listing;
  }

  async #list(folder: string): Promise<string[] | undefined> {
    if (!this.#sandbox) return undefined;
    try {
      const { files, total } = await this.#sandbox.glob({ pattern: "**", path: folder, limit: MOST_LISTED });
      return total > files.length ? undefined : files.map((file) => posix.join(folder, file));
    } catch (error) {
      return isMissing(error) ? [] : undefined;
    }
  }

  /**
   * Does this pattern name a file below this folder, as the sandbox finds it? For a folder with too many files to list;
   * here capitals count. Where nobody can tell, it does.
   */
  async finds(pattern: string, folder: string): Promise<boolean> {
    if (!this.#sandbox) return true;
    const start = pattern.startsWith("/") ? "/" : this.cwd;
    const path = pattern.includes("/") ? start : folder;
    for (const glob of [pattern, `${pattern}/**`].map((text) => text.replace(/^\/+/, ""))) {
      try {
        const { files, total } = await this.#sandbox.glob({ pattern: glob, path, limit: MOST_LISTED });
        if (total > files.length) return true;
        if (files.some((file) => posix.join(path, file).startsWith(folder === "/" ? "/" : `${folder}/`))) return true;
      } catch (error) {
        if (!isMissing(error)) return true;
      }
    }
    return false;
  }

  readonly #absolute = (path: string): string => posix.resolve(this.cwd, path);
}

function isMissing(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR"].includes(codeOf(error) ?? "");
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function wrong(tool: Tool, what: string): HaftError {
  return new HaftError("TOOL_INVALID", `Tool "${tool.name}": its subject gave ${what}`, {
    hint: "Give { files, folders, command }, each of them optional.",
  });
}
