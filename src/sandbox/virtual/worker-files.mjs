/** Errors and stats of files, in the form that the commands of the shell understand. */
/** @typedef {{ type: "file" | "dir" | "symlink" | "other", size: number, mtimeMs: number, mode: number, identity?: string }} FileStat */

/** @type {Record<string, string>} */
const SENTENCES = {
  ENOENT: "no such file or directory",
  EISDIR: "illegal operation on a directory",
  ENOTDIR: "not a directory",
  EEXIST: "file already exists",
  ENOTEMPTY: "directory not empty",
  EPERM: "operation not permitted",
  EROFS: "read-only file system",
  ENAMETOOLONG: "file name too long",
  ENOSPC: "no space left on device",
  EFBIG: "file too large",
};

/** In the form that the commands of the shell understand. @param {string} code @param {string} path */
export function fileError(code, path) {
  const shown = path.length > 200 ? `${path.slice(0, 200)}…` : path;
  return Object.assign(new Error(`${code}: ${SENTENCES[code] ?? "invalid argument"}, '${shown}'`), { code });
}

/** @param {FileStat["type"]} type */
export function kindOf(type) {
  return { isFile: type === "file", isDirectory: type === "dir", isSymbolicLink: type === "symlink" };
}

/** @param {FileStat} found */
export function toStat({ type, size, mtimeMs, mode, identity }) {
  return { ...kindOf(type), mode, size, mtime: new Date(mtimeMs), identity };
}

/** @param {any} options @returns {BufferEncoding} */
export function encodingOf(options) {
  return (typeof options === "string" ? options : options?.encoding) ?? "utf8";
}
