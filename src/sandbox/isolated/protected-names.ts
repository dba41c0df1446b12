/** What nobody in a sandbox may change: files that make programs outside run something, when a person next uses the folder. */
import { basename } from "node:path";
import { fileError } from "../files/file-error.ts";
import { isInside } from "../files/pinned-dir.ts";

/** Programs read these from a home folder: where they are not there, they are covered only in one. */
export const NAMES_OF_A_HOME: readonly string[] = [
  ...[".gitconfig", ".bashrc", ".bash_profile", ".profile", ".zshrc", ".zprofile", ".ripgreprc"],
];

/** In the root of a folder that can be written. */
export const PROTECTED_NAMES: readonly string[] = [
  ...NAMES_OF_A_HOME,
  ...[".gitmodules", ".envrc", ".npmrc", ".mcp.json", ".vscode", ".idea", ".claude"],
];

/** In the folder that git keeps of a repository. The first three name programs that git runs; commondir moves them all. */
export const PROTECTED_IN_GIT: readonly string[] = ["hooks", "config", "config.worktree", "commondir"];

/**
 * The folder of Haft in a root, where it is there: it holds sessions, in which decisions are, and patches that wait. All of it, also
 * what is not there: SQLite would take a journal that somebody put beside its database for its own.
 */
export const HAFT = ".haft";
/** In it, what was too long for a model is kept for its commands. */
export const HAFT_OUTPUT = "output";

/** Refuses a change of a protected path, of what is in it, or of a folder that leads to it. All are real paths. */
export function refuseProtected(
  roots: readonly string[],
  paths: readonly string[],
  place: string,
  shown: string,
): void {
  const found =
    paths.find((path) => (isInside(path, place) && !isOutput(path, place)) || isInside(place, path)) ??
    roots.flatMap((root) => (isInside(root, place) ? protectedAbove(root, place) : []))[0];
  if (found === undefined) return;
  throw fileError("EPERM", shown, {
    problem: found === place ? "is protected" : `is protected, as ${found} is`,
    hint: "It could make programs outside the sandbox run something. Ask the user to change it.",
  });
}

function isOutput(folder: string, place: string): boolean {
  return basename(folder) === HAFT && isInside(`${folder}/${HAFT_OUTPUT}`, place);
}

/** By name, whether it is there or not: what is at the root, and parts of git at any depth. */
function protectedAbove(root: string, place: string): string[] {
  const parts = place.slice(root.length).split("/").filter(Boolean);
  const lower = parts.map((part) => part.toLowerCase());
  const upTo = (count: number) => [root, ...parts.slice(0, count)].join("/");
  if (lower[0] !== undefined && PROTECTED_NAMES.includes(lower[0])) return [upTo(1)];
  if (lower[0] === HAFT && lower[1] !== undefined && lower[1] !== HAFT_OUTPUT) return [upTo(2)];
  return lower.flatMap((name, at) => {
    if (name !== ".git") return [];
    const inModule = lower[at + 1] === "modules";
    const last = inModule ? lower.slice(at + 2) : lower.slice(at + 1, at + 2);
    const hit = last.findIndex((part) => PROTECTED_IN_GIT.includes(part));
    return hit < 0 ? [] : [upTo(at + (inModule ? 3 : 2) + hit)];
  });
}
