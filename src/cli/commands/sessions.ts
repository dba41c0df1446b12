/** `haft sessions`: what there is in this folder, the last one first. */
import type { StoreFlags } from "../../project/index.ts";
import { exitCodes } from "../exit-codes.ts";
import { dayOf } from "../render/dates.ts";
import { Screen } from "../render/screen.ts";
import { oneLine, stringWidth, truncate } from "../render/text.ts";
import { type SessionRow, sessionRows } from "../session-rows.ts";
import { withStore } from "../with-store.ts";

export interface SessionsFlags extends StoreFlags {
  json?: boolean;
  limit?: number;
}

const DEFAULT_LIMIT = 20;
/** Columns: an id that was made, "59 min ago", "waiting 12". */
const [ID, AGE, STATUS] = [28, 10, 10];

export async function sessionsCommand(flags: SessionsFlags): Promise<number> {
  const limit = flags.limit ?? DEFAULT_LIMIT;
  const rows = await withStore(flags, (store) => sessionRows(store, limit));
  if (flags.json) {
    for (const row of rows) process.stdout.write(`${JSON.stringify(row)}\n`);
    return exitCodes.success;
  }
  const screen = new Screen();
  if (rows.length === 0) screen.print("No sessions in this folder.");
  else screen.print(screen.colors.dim(line(["SESSION", "LAST", "STATUS", "TASK"])));
  for (const row of rows) screen.print(rowText(row, screen));
  return exitCodes.success;
}

function rowText(row: SessionRow, { width, colors }: Screen): string {
  const id = oneLine(row.session);
  const cells = [ageOf(row.updatedAt), statusOf(row)];
  const room = Math.max(10, width - ID - AGE - STATUS - 6);
  const task = truncate(oneLine(row.task), room);
  const isLong = stringWidth(id) > ID;
  const text = line([isLong ? "" : id, ...cells, task]);
  const painted = text.replace(cells[1]!, (word) => paint(row, colors)(word));
  return isLong ? `${id}\n${painted}` : painted;
}

function statusOf({ status, waiting }: SessionRow): string {
  if (status !== "waiting") return status;
  return waiting > 0 ? `waiting ${waiting}` : "decided";
}

function line([id = "", age = "", status = "", task = ""]: string[]): string {
  return `${id.padEnd(ID)}  ${age.padEnd(AGE)}  ${status.padEnd(STATUS)}  ${task}`.trimEnd();
}

function paint({ status }: SessionRow, { green, yellow, red, dim }: Screen["colors"]): (text: string) => string {
  return { running: green, waiting: yellow, stopped: red, ended: dim }[status];
}

function ageOf(at: number): string {
  const minutes = Math.floor((Date.now() - at) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ago`;
  if (minutes < 7 * 24 * 60) return `${Math.floor(minutes / 24 / 60)} d ago`;
  return dayOf(at);
}
