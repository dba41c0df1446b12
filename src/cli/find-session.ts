/** Which session is meant: its id, or as much of the beginning as tells it from the others. */
import { HaftError } from "../base/errors.ts";
import type { SessionStore } from "../core/store.ts";
import { usageError } from "./exit-codes.ts";

/** Sessions that are looked through, from the last one on. */
export const MANY = 10_000;
const PREFIX = "session_";
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}$/;
const WHOLE = /^session_[0-9a-z]{20}$/;

/** Of a session that must be there. @throws HaftError SESSION_UNKNOWN, and USAGE_INVALID where several begin so */
export async function findSession(store: SessionStore, given: string): Promise<string> {
  const names = await sessionNames(store);
  const found = matchOf(names, given);
  if (found !== undefined) return found;
  const last = names.slice(0, 3).join(", ");
  throw new HaftError("SESSION_UNKNOWN", `There is no session "${given}" in this folder.`, {
    hint: `${last ? `The last ones are ${last}. haft sessions lists more` : "There are none"}; --cwd names another folder.`,
  });
}

/**
 * Where a name that is not there makes a new session, only what looks like the beginning of an id is one. Patches are files
 * with the session's name: it holds no path, whatever the store would take.
 *
 * @throws HaftError SESSION_INVALID, and USAGE_INVALID where several begin so
 */
export async function namedSession(store: SessionStore, given: string): Promise<string> {
  if (!NAME.test(given)) {
    throw new HaftError("SESSION_INVALID", `"${given.slice(0, 80)}" cannot name a session of the command line.`, {
      hint: "Use letters, digits, _, - and ., 200 at most.",
    });
  }
  if (WHOLE.test(given) || !given.startsWith(PREFIX)) return given;
  return matchOf(await sessionNames(store), given) ?? given;
}

async function sessionNames(store: SessionStore): Promise<string[]> {
  return (await store.list({ limit: MANY })).map(({ session }) => session);
}

function matchOf(names: readonly string[], given: string): string | undefined {
  if (names.includes(given)) return given;
  const found = given === "" ? [] : names.filter((name) => name.startsWith(given) || name.startsWith(PREFIX + given));
  if (found.length <= 1) return found[0];
  const shown = found.length > 5 ? [...found.slice(0, 5), `${found.length - 5} more`] : found;
  throw usageError(`${found.length} sessions begin with "${given}": ${shown.join(", ")}.`, "Write more of the id.");
}
