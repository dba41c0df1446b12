/** Draws a Markdown table in columns, and as a list of its rows where it would be too wide. */
import type { Tokens } from "marked";
import type { Colors } from "./colors.ts";
import { inline } from "./markdown-inline.ts";
import { stringWidth, wrapWith } from "./text.ts";

const GAP = "  ";

export function table({ header, rows, align }: Tokens.Table, width: number, colors: Colors): string {
  const titles = header.map(({ tokens }) => colors.bold(inline(tokens, colors)));
  const cells = rows.map((row) => row.map(({ tokens }) => inline(tokens, colors)));
  const widths = titles.map((title, column) => {
    return Math.max(stringWidth(title), ...cells.map((row) => stringWidth(row[column] ?? "")));
  });
  const total = widths.reduce((sum, each) => sum + each, GAP.length * (widths.length - 1));
  if (total > width) return records(titles, cells, width);

  const line = (row: string[]) =>
    row
      .map((cell, column) => pad(cell, widths[column]!, align[column]))
      .join(GAP)
      .trimEnd();
  const rule = colors.dim(widths.map((each) => "─".repeat(each)).join(GAP));
  return [line(titles), rule, ...cells.map(line)].join("\n");
}

function records(titles: string[], rows: string[][], width: number): string {
  const record = (row: string[]) =>
    row.map((cell, column) => wrapWith(`${titles[column] ?? ""}: ${cell}`, width, column === 0 ? "- " : "  ", "    "));
  return rows.map((row) => record(row).join("\n")).join("\n");
}

function pad(cell: string, width: number, align: "center" | "left" | "right" | null | undefined): string {
  const room = " ".repeat(width - stringWidth(cell));
  if (align === "right") return room + cell;
  if (align === "center") return room.slice(0, room.length / 2) + cell + room.slice(room.length / 2);
  return cell + room;
}
