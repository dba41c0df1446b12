/** What a run is asked to do: the words of the command line, what was piped in, or both. */
import { type PipedInput, readPipedInput } from "./stdin.ts";

export interface Task {
  /** undefined: nobody said anything. */
  prompt: string | undefined;
  notes: string[];
}

export interface TaskOptions {
  words: readonly string[];
  /** Wait for standard input, however long it is silent. */
  waits: boolean;
  /** Says something while the input is read. */
  tell: (note: string) => void;
}

export async function readTask({ words, waits, tell }: TaskOptions): Promise<Task> {
  const asked = words.join(" ").trim();
  const piped = await readPipedInput(waits, tell);
  const notes = piped?.note ? [piped.note] : [];
  if (!piped) return { prompt: asked || undefined, notes };
  if (asked === "") return { prompt: marked(piped).text.trim(), notes };
  return { prompt: `${asked}\n\n${attachment(marked(piped))}`, notes };
}

/** The model, too, must know that something is missing. */
function marked({ text, note }: PipedInput): { text: string } {
  return { text: note ? `${text}\n[${note}]` : text };
}

/** A block whose end the text in it cannot fake. */
function attachment({ text }: { text: string }): string {
  let tag = "attachment";
  for (let number = 2; text.includes(`</${tag}>`); number++) tag = `attachment-${number}`;
  return `<${tag} source="standard input">\n${text.replace(/\n+$/, "")}\n</${tag}>`;
}
