/** Turns what the operating system says of a path into one of the contract's codes, a sentence and a next step. */
import { codeOf, HaftError, messageOf } from "../../base/errors.ts";

interface Explanation {
  code: string;
  problem: string;
  hint: string;
}

const LOOK = "Use list or glob to see what is there; paths are relative to the sandbox's cwd.";
const RIGHTS: Explanation = {
  code: "EPERM",
  problem: "may not be used so by this user",
  hint: "Choose a path that this user may read and write, or change its mode first.",
};

const EXPLANATIONS: Record<string, Explanation> = {
  ENOENT: { code: "ENOENT", problem: "does not exist", hint: LOOK },
  EISDIR: { code: "EISDIR", problem: "is a folder, not a file", hint: "Name a file in it; list shows what it holds." },
  ENOTDIR: {
    code: "ENOTDIR",
    problem: "needs a folder where there is a file",
    hint: "Use stat on its parents to see which of them is a file, and choose another path.",
  },
  EACCES: RIGHTS,
  EPERM: RIGHTS,
  EINVAL: {
    code: "EINVAL",
    problem: "is not a regular file (it is a pipe, a socket or a device), or cannot be used so",
    hint: "Name a regular file or a folder.",
  },
  ELOOP: {
    code: "EINVAL",
    problem: "goes through symlinks that form a circle",
    hint: "Remove or repair the symlinks.",
  },
  ENAMETOOLONG: {
    code: "ENAMETOOLONG",
    problem: "is too long",
    hint: "A name may have 255 bytes and a path 4,095: choose a shorter one.",
  },
  EFBIG: { code: "EFBIG", problem: "is too large", hint: "Read a part of it, with offset and length." },
  EROFS: {
    code: "EROFS",
    problem: "is on a read-only file system",
    hint: "Write somewhere else, or have the owner of the sandbox mount it for writing.",
  },
  EEXIST: { code: "EEXIST", problem: "exists already", hint: "Choose another name, or remove it first." },
  ENOTEMPTY: {
    code: "EEXIST",
    problem: "is a folder that is not empty",
    hint: "Remove it first, with recursive set to true, or choose another name.",
  },
  ESTALE: {
    code: "ESTALE",
    problem: "has changed since it was read",
    hint: "Read it again and make the change on what it holds now.",
  },
};

/** `detail`, when given, replaces the general description of the problem. */
export function fileError(code: string, path: string, detail?: { problem?: string; hint?: string }): HaftError {
  const known = EXPLANATIONS[code];
  const problem = detail?.problem ?? known?.problem ?? `could not be used (${code})`;
  return new HaftError(known?.code ?? code, `${JSON.stringify(path)} ${problem}.`, {
    hint: detail?.hint ?? known?.hint,
  });
}

/** A HaftError stays as it is; what has an errno becomes its explanation; anything else is thrown on. */
export function explainFileError(thrown: unknown, path: string): unknown {
  if (HaftError.is(thrown)) return thrown;
  const code = codeOf(thrown);
  if (code === undefined || !/^E[A-Z0-9]+$/.test(code)) return thrown;
  const detail = EXPLANATIONS[code] ? undefined : { problem: `could not be used: ${messageOf(thrown).split(",")[0]}` };
  const error = fileError(code, path, detail);
  return new HaftError(error.code, error.message, { hint: error.hint, cause: thrown });
}

/** The path changed between two looks at it. Worth another try; after several, an EPERM for the caller. */
export class PathSwapped extends HaftError {
  constructor(path: string) {
    super("EPERM", `${JSON.stringify(path)} was exchanged while it was being opened.`, {
      hint: "Stop what renames or relinks files there, then try again.",
    });
  }
}

export function outsideError(path: string, root: string, how = "is"): HaftError {
  return new HaftError("EPERM", `${JSON.stringify(path)} ${how} outside the sandbox, which is ${root}.`, {
    hint: "Use a path inside the sandbox, relative to its cwd.",
  });
}
