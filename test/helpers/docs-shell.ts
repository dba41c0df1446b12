/** Reads the command lines of the documentation, and says what in them the real programs do not know. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "./source-files.ts";

const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** Programs that a reader has, and that are not ours to check. */
const common = ["cd", "mkdir", "echo", "export", "git", "cat", "node", "sed", "rm", "jq", "apt-get"];

/** The help of `haft` and of each command. */
export type Help = ReadonlyMap<string, string>;

/** Asked of the sources: what is built may be older. */
export async function readHelp(commands: readonly string[]): Promise<Help> {
  const script = join(import.meta.dirname, "docs-help.mjs");
  const { stdout } = await promisify(execFile)(process.execPath, [
    script,
    join(root, "src/cli/main.ts"),
    "",
    ...commands,
  ]);
  const parts = stdout.split(/^=== (.*)\n/m).slice(1);
  return new Map(parts.flatMap((part, index) => (index % 2 === 0 ? [[part, parts[index + 1]!] as const] : [])));
}

/** One sentence for each mistake in a fence's command lines. */
export function commandProblems(text: string, help: Help): string[] {
  const lines = text.replaceAll("\\\n", " ").split("\n");
  return lines.flatMap((line) => commandsOf(line).flatMap((words) => problemsOf(words, help)));
}

/** The commands of a line, as words. Comments, redirections and quotes are taken away. */
export function commandsOf(line: string): string[][] {
  const commands: string[][] = [[]];
  for (const [token] of line.matchAll(/"(?:[^"\\]|\\.)*"|'[^']*'|#.*$|\|\||&&|[|;]|\d?>&?\d?|[^\s"'|;>]+/g)) {
    if (token.startsWith("#")) break;
    if (/^(\|\||&&|[|;])$/.test(token)) commands.push([]);
    else if (!token.includes(">") || /^["']/.test(token)) commands.at(-1)!.push(token.replace(/^(["'])(.*)\1$/, "$2"));
  }
  return commands.filter((words) => words.length > 0);
}

function problemsOf(given: readonly string[], help: Help): string[] {
  const words = [...given];
  while (/^[A-Z_]+=/.test(words[0] ?? "")) words.shift();
  if (words[0] === "npx") words.shift();
  const [program = "", ...rest] = words;
  if (program === "haft") return haftProblems(rest, help);
  if (program === "npm") return npmProblems(rest);
  return program === "" || common.includes(program) ? [] : [`${program} is no known program`];
}

function haftProblems([command = "", ...words]: readonly string[], help: Help): string[] {
  const isCommand = !command.startsWith("-");
  const known = help.get(isCommand ? command : "");
  if (known === undefined) return [`there is no command haft ${command}`];
  const flags = new Set(known.match(/(?<=^\s+|, )--?[a-z][a-z-]*|-[A-Z]/gm));
  return [...(isCommand ? [] : [command]), ...words]
    .filter((word) => word.startsWith("-") && !flags.has(word.split("=")[0]!))
    .map((word) => `haft ${command} has no ${word}`);
}

function npmProblems([verb = "", ...words]: readonly string[]): string[] {
  if (verb === "run" || verb === "test") {
    const script = verb === "test" ? "test" : words[0]!;
    return script in manifest.scripts ? [] : [`package.json has no script "${script}"`];
  }
  if (verb === "ci") return [];
  if (verb !== "install" && verb !== "i") return [`npm ${verb} is not expected here`];
  const known = {
    ...manifest.dependencies,
    ...manifest.devDependencies,
    ...manifest.peerDependencies,
    ...manifest.optionalDependencies,
  };
  return words
    .filter((word) => !word.startsWith("-") && word !== "haft" && !(word.replace(/(?<=.)@.*/, "") in known))
    .map((word) => `${word} is no package that Haft works with`);
}
