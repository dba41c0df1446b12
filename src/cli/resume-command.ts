/** The command lines that a person can copy to go on with a run that waits. */
import type { PendingCall } from "../core/decision.ts";
import type { SettingFlags } from "../project/index.ts";
import { stringWidth, wrapWith } from "./render/text.ts";
import { cardSubject } from "./render/tool-card.ts";
import { visibleLine } from "./render/visible.ts";
import { shortId } from "./resume.ts";

interface Place {
  session: string;
  flags: SettingFlags;
  width: number;
}

/** What to type to go on with a run that was stopped, or came to its limit. */
export function goOnText({ session, flags, width }: Place): string {
  const words = ["--session", session, ...repeated(flags)];
  return indented(commandLines(words, width, '"go on"'), true).join("\n");
}

/** What to type when all that waited is decided. */
export function resumeText({ session, flags, width }: Place): string {
  return indented(commandLines([session, ...repeated(flags)], width, undefined, "haft resume"), true).join("\n");
}

/** Which calls wait, why, and what to type. */
export function waitingText(pending: readonly PendingCall[], { session, flags, width }: Place): string {
  const command = (...decision: string[]) =>
    commandLines(["--session", session, ...decision, ...repeated(flags)], width);
  return pending
    .map(({ callId, name, input, message, reason }) => {
      const id = shortId(callId);
      const lines = [wrapWith(visibleLine(`${name} ${cardSubject(name, input, visibleLine)}`), width, "Waiting  ")];
      lines.push(wrapWith(visibleLine(`${message.replace(/[.\s]+$/, "")}. It is call ${id}.`), width, " ".repeat(9)));
      const ways = reason === "snapshot" ? [command("--answer", `${id}=…`)] : [command("--approve", id)];
      lines.push(...[...ways, command("--deny", id)].flatMap((way, index) => indented(way, index === 0)));
      return lines.join("\n");
    })
    .join("\n");
}

function indented(lines: string[], isFirst: boolean): string[] {
  return lines.map((line, index) => `${isFirst && index === 0 ? "Next     " : " ".repeat(9)}${line}`);
}

/** A run goes on only with the settings that it began with. */
function repeated(flags: SettingFlags): string[] {
  const { cwd, model, tools, sandbox, mode, maxIterations, contextFiles, config } = flags;
  const words: string[] = [];
  for (const [name, value] of Object.entries({ cwd, model, tools, sandbox, mode, "max-iterations": maxIterations })) {
    if (value !== undefined) words.push(`--${name}`, String(value));
  }
  if (contextFiles === false) words.push("--no-context-files");
  if (config === false) words.push("--no-config");
  if (typeof config === "string") words.push("--config", config);
  return words;
}

/** In one piece where it fits, else with the shell's own sign that a line goes on. */
function commandLines(words: string[], width: number, task?: string, command = "haft run"): string[] {
  const lines = [command];
  for (const part of [...pairs(words), ...(task ? [task] : [])]) {
    const longer = `${lines.at(-1)} ${part}`;
    if (stringWidth(longer) + 11 <= width) lines[lines.length - 1] = longer;
    else lines.push(`  ${part}`);
  }
  return lines.map((line, index) => (index < lines.length - 1 ? `${line} \\` : line));
}

/** A flag stays on one line with its value. */
function pairs(words: string[]): string[] {
  const parts: string[] = [];
  for (const word of words) {
    if (word.startsWith("--")) parts.push(word);
    else if (parts.length === 0) parts.push(quoted(word));
    else parts[parts.length - 1] += ` ${quoted(word)}`;
  }
  return parts;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./…-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
