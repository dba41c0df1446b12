/** The `.gitignore` files between the cwd and the folder that is walked, the deepest one first in command. */

import ignore, { type Ignore } from "ignore";
import { below } from "./paths.ts";

interface Level {
  /** The folder that holds the `.gitignore`, absolute. */
  folder: string;
  rules: Ignore;
}

export class IgnoreRules {
  static readonly none = new IgnoreRules([]);
  /** The deepest first. */
  readonly #levels: Level[];

  private constructor(levels: Level[]) {
    this.#levels = levels;
  }

  /** These rules and those of one more `.gitignore`, for the folder that holds it. */
  with(folder: string, text: string): IgnoreRules {
    const rules = ignore({ ignoreCase: false }).add(affordableLines(text));
    return new IgnoreRules([{ folder, rules }, ...this.#levels]);
  }

  ignores(path: string, isFolder: boolean): boolean {
    for (const level of this.#levels) {
      const result = level.rules.test(nameIn(level, path, isFolder));
      if (result.ignored) return true;
      if (result.unignored) return false;
    }
    return false;
  }

  /**
   * The rules for what is below `folder`. A folder that a deep file takes back from a shallow one is no longer an
   * ignored parent for the shallow one either.
   */
  inside(folder: string): IgnoreRules {
    if (this.#levels.length < 2) return this;
    const isOverruled = (level: Level) => level.rules.test(nameIn(level, folder, true)).ignored;
    if (!this.#levels.some(isOverruled)) return this;
    return new IgnoreRules(
      this.#levels.map((level) => {
        if (!isOverruled(level)) return level;
        const takenBack = `!/${nameIn(level, folder, true).replace(/[\\*?[\] ]/g, "\\$&")}`;
        return { folder: level.folder, rules: ignore({ ignoreCase: false }).add(level.rules).add(takenBack) };
      }),
    );
  }
}

function nameIn(level: Level, path: string, isFolder: boolean): string {
  return below(level.folder, path) + (isFolder ? "/" : "");
}

const MAX_LINES = 2000;
const MAX_COSTLY_LINES = 20;
const MAX_LINE = 1024;

/**
 * The rules become regular expressions, whose time grows with the power of the stars in one name. Whoever writes into
 * the sandbox writes its `.gitignore` too, so lines that would stop the host are left out.
 */
function affordableLines(text: string): string[] {
  let costly = 0;
  const lines = text.split(/\r?\n/, MAX_LINES).filter((line) => {
    if (line.length > MAX_LINE) return false;
    const stars = mostStars(line);
    if (stars < 3) return true;
    return stars === 3 && ++costly <= MAX_COSTLY_LINES;
  });
  return lines;
}

function mostStars(line: string): number {
  const inOneName = line.split("/").map((name) => name.match(/\*+/g)?.length ?? 0);
  const deep = line.match(/\*\*/g)?.length ?? 0;
  return Math.max(deep, ...inOneName);
}
