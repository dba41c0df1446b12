/** What a run has seen of the files of its sandbox, so that it never overwrites a change that it does not know of. */
import { createHash } from "node:crypto";
import { posix } from "node:path";
import { HaftError } from "../../base/errors.ts";
import type { FileStat, SandboxAccess } from "../../core/sandbox.ts";

interface Seen {
  mtimeMs: number;
  size: number;
  /** SHA-256 of the content; absent when only a part was read. */
  hash?: string;
}

/** One for each sandbox object, for as long as that object lives. */
export class SeenFiles {
  readonly #cwd: string;
  readonly #seen = new Map<string, Seen>();
  readonly #turns = new Map<string, Promise<unknown>>();

  private constructor(cwd: string) {
    this.#cwd = cwd;
  }

  static of(sandbox: SandboxAccess): SeenFiles {
    let files = known.get(sandbox);
    if (!files) {
      files = new SeenFiles(sandbox.cwd);
      known.set(sandbox, files);
    }
    return files;
  }

  /** `content` is the whole file, or undefined when only a part of it was read. */
  remember(path: string, stat: Pick<FileStat, "mtimeMs" | "size">, content: Uint8Array | undefined): void {
    const { mtimeMs, size } = stat;
    this.#seen.set(this.#absolute(path), { mtimeMs, size, ...(content && { hash: hashOf(content) }) });
  }

  /**
   * A file that was never read passes. Where both contents are known they are compared, and its times do not count.
   *
   * @throws HaftError `FILE_CHANGED`
   */
  refuseChanged(path: string, stat: Pick<FileStat, "mtimeMs" | "size">, content: Uint8Array | undefined): void {
    const seen = this.#seen.get(this.#absolute(path));
    if (!seen) return;
    const same =
      seen.hash && content ? seen.hash === hashOf(content) : seen.mtimeMs === stat.mtimeMs && seen.size === stat.size;
    if (!same) throw fileChanged(path);
  }

  /** One change of a file at a time: the next one starts from what the last one wrote. */
  async inTurn<T>(path: string, change: () => Promise<T>): Promise<T> {
    const key = this.#absolute(path);
    const turn = (this.#turns.get(key) ?? Promise.resolve()).then(change);
    const over = turn.catch(() => {});
    this.#turns.set(key, over);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(key) === over) this.#turns.delete(key);
    }
  }

  #absolute(path: string): string {
    return posix.resolve(this.#cwd, path);
  }
}

const known = new WeakMap<SandboxAccess, SeenFiles>();

export function fileChanged(path: string, cause?: unknown): HaftError {
  return new HaftError("FILE_CHANGED", `${path} changed on disk since it was read in this run; it was left as it is`, {
    hint: "Read it again, then make the change on what it is now.",
    cause,
  });
}

function hashOf(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("base64url");
}
