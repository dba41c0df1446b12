/** `command` of a policy rule: does it hold for what a call runs? */
import { posix } from "node:path";
import { compileTextGlob } from "./text-glob.ts";

export type Command = string | readonly string[];

/** Characters that no shell gives a meaning: letters, digits, and these. */
const plain = /^[\p{L}\p{N} _./:,@%+=-]$/u;
const plainText = /^[\p{L}\p{N} _./:,@%+=-]*$/u;
/** Where one command of a line ends and the next may start. */
const between = /[;&|\n\r(){}`]|\$\(/;

/**
 * To allow: all of the command matches, and in a line for a shell nothing but the pattern's own letters has a meaning
 * to that shell. So `npm *` holds for `npm test`, and not for `npm test; rm -rf /`.
 */
export function allowsCommand(pattern: string | RegExp): (command: Command) => boolean {
  if (typeof pattern !== "string") {
    const whole = new RegExp(`^(?:${pattern.source})$`, pattern.flags.replace(/[gmy]/g, ""));
    return (command) => {
      const text = lineOf(command);
      return (typeof command !== "string" || plainText.test(text)) && whole.test(text);
    };
  }
  const inShell = compileTextGlob(pattern.trim(), (char) => plain.test(char));
  const alone = compileTextGlob(pattern.trim(), anything);
  return (command) => (typeof command === "string" ? inShell : alone)(lineOf(command));
}

/** To ask or deny: the whole line matches, or one of its commands does as far as they can be told apart. */
export function namesCommand(pattern: string | RegExp): (command: Command) => boolean {
  if (typeof pattern !== "string") {
    const anywhere = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ""));
    return (command) => formsOf(command).some((form) => anywhere.test(form));
  }
  const matches = compileTextGlob(pattern.trim(), anything);
  return (command) => formsOf(command).some(matches);
}

function anything(): boolean {
  return true;
}

/** The line, each command in it, and the same with the bare name of its program. */
function formsOf(command: Command): string[] {
  const line = lineOf(command);
  const parts = typeof command === "string" ? line.split(between).map(tidied) : [];
  const forms = [line, tidied(line), ...parts].filter((form) => form !== "");
  return [...new Set([...forms, ...forms.map(withBareProgram)])];
}

/** Without variables that are set before it, and with one space between its words. */
function tidied(command: string): string {
  return command
    .trim()
    .replace(/^(?:[A-Za-z_]\w*=\S*\s+)+/, "")
    .replace(/\s+/g, " ");
}

function withBareProgram(command: string): string {
  const [program = ""] = command.split(" ", 1);
  return `${posix.basename(program)}${command.slice(program.length)}`;
}

/** Arguments as a shell would be given them, so that no two lists of them are one line. */
function lineOf(command: Command): string {
  return typeof command === "string" ? command.trim() : command.map(quoted).join(" ");
}

function quoted(argument: string): string {
  return /^[\w./:,@%+=-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}
