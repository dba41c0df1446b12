/** A conversation as text, for whoever writes its summary: what was said and done, and the beginning and end of what is long. */
import { type Message, type ToolOutput, textOf } from "../../core/message.ts";

const SAID = 12_000;
const INPUT = 1_500;
const RESULT = 3_000;

export function transcriptOf(messages: readonly Message[]): string {
  return messages.flatMap(linesOf).join("\n\n");
}

function linesOf(message: Message): string[] {
  switch (message.role) {
    case "user":
      return [`User: ${clip(textOf(message), SAID)}${files(message.content)}`];
    case "assistant":
      return message.content.flatMap((part) => {
        if (part.type === "text") return [`Assistant: ${clip(part.text, SAID)}`];
        if (part.type === "tool-call") return [`Assistant calls ${part.toolName}: ${clip(json(part.input), INPUT)}`];
        return part.type === "file" ? [`Assistant: (a file, ${part.mediaType})`] : [];
      });
    case "tool":
      return message.content.map(
        ({ toolName, output }) => `Result of ${toolName}: ${clip(textOfOutput(output), RESULT)}`,
      );
  }
}

function files(content: readonly { type: string; mediaType?: string }[]): string {
  return content.map((part) => (part.type === "file" ? ` (a file, ${part.mediaType})` : "")).join("");
}

function textOfOutput(output: ToolOutput): string {
  if (output.type === "error-text") return `failed: ${output.value}`;
  if (output.type === "text") return output.value;
  return output.value.map((part) => (part.type === "text" ? part.text : `(an image, ${part.mediaType})`)).join("\n");
}

function json(value: unknown): string {
  return JSON.stringify(value) ?? "";
}

function clip(text: string, most: number): string {
  if (text.length <= most) return text;
  const part = Math.floor(most / 3);
  return `${text.slice(0, 2 * part)}\n[… ${text.length - 3 * part} characters …]\n${text.slice(-part)}`;
}
