/** `path` of a policy rule: does it hold for a file, or for all that is below a folder? Paths here are absolute. */
import { compileGlob, type GlobPattern } from "../../base/glob-pattern.ts";

export interface PathRule {
  /** Without a doubt: this very file. */
  allowsFile(path: string): boolean;
  /** Without a doubt: every file below this folder. */
  allowsFolder(path: string): boolean;
  /** This file or a folder above it, in any capitals. */
  names(path: string): boolean;
  /** It may name something below this folder. */
  mayReach(folder: string): boolean;
}

/** `cwd` is the folder that relative patterns start from: the sandbox's. */
export function readPathRule(pattern: string, cwd: string): PathRule {
  const start = pattern.startsWith("/") ? "/" : cwd;
  const exact = anchored(pattern);
  const loose = anchored(pattern.normalize("NFC").toLowerCase());
  const tree = treeOf(pattern);
  const anyDepth = !pattern.includes("/");
  return {
    allowsFile: (path) => holds(exact, below(start, path)),
    allowsFolder: (path) => tree !== undefined && above(below(start, path)).some(tree),
    names(path) {
      const plain = loosely(path);
      // A bare name such as ".env" is meant wherever the file is, also outside the cwd.
      const from = anyDepth ? "/" : loosely(start);
      return above(below(from, plain)).some((place) => holds(loose, place));
    },
    mayReach(folder) {
      const place = below(loosely(start), loosely(folder));
      if (place !== undefined) return place === "" || loose.reaches(place);
      return anyDepth || isInside(loosely(start), loosely(folder));
    },
  };
}

/** A pattern without a slash matches at any depth. */
function anchored(pattern: string): GlobPattern {
  return compileGlob(pattern.replace(/^\/+/, "") === pattern ? pattern : `./${pattern.replace(/^\/+/, "")}`);
}

/** Is everything below this place matched? Only a pattern that ends in `**`, or in a slash, can say so. */
function treeOf(pattern: string): ((place: string) => boolean) | undefined {
  const plain = pattern.replace(/^\/+/, "");
  if (plain === "**") return () => true;
  const base = /^(.+)\/(?:\*\*)?$/.exec(plain)?.[1];
  if (base === undefined) return undefined;
  const folder = compileGlob(`./${base}`);
  return (place) => holds(folder, place);
}

function holds(glob: GlobPattern, place: string | undefined): boolean {
  return place !== undefined && place !== "" && glob.matches(place);
}

/** The place and the folders above it, up to where the pattern starts. */
function above(place: string | undefined): string[] {
  if (place === undefined) return [];
  const places = [place];
  for (let at = place.lastIndexOf("/"); at > 0; at = place.lastIndexOf("/", at - 1)) places.push(place.slice(0, at));
  return places;
}

/** The path below `folder`, "" for the folder itself, undefined for a path outside. */
function below(folder: string, path: string): string | undefined {
  if (path === folder) return "";
  return isInside(path, folder) ? path.slice(folder === "/" ? 1 : folder.length + 1) : undefined;
}

function isInside(path: string, folder: string): boolean {
  return path.startsWith(folder === "/" ? "/" : `${folder}/`);
}

/** Some file systems do not tell capitals, or the ways to write an accent, apart. */
function loosely(path: string): string {
  return path.normalize("NFC").toLowerCase();
}
