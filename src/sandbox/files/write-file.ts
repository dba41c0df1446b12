/** Writes a whole file: beside its target and then over it, so that a reader sees the old bytes or the new, never half. */
import { randomBytes } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { access, type FileHandle, lstat, open, rename, unlink } from "node:fs/promises";
import { codeOf } from "../../base/errors.ts";
import type { WriteFileOptions } from "../../core/sandbox.ts";
import { fileError, PathSwapped } from "./file-error.ts";
import { type Owner, openRegular, type PinnedDir } from "./pinned-dir.ts";

const NEW_FILE_MODE = 0o644;
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

interface Write {
  dir: PinnedDir;
  name: string;
  /** The path as the caller wrote it. */
  shown: string;
  data: Uint8Array;
  options: WriteFileOptions;
  /** Whom a new file belongs to, where that is not the user of this process. */
  owner?: Owner | undefined;
}

export async function writeRegularFile(write: Write): Promise<void> {
  const current = await existing(write);
  checkMatch(write, current);
  if (!current && write.options.ifMatch === "absent") return createOnly(write);
  if (!current) return replace(write, undefined);

  if (current.isDirectory()) throw fileError("EISDIR", write.shown);
  if (!current.isFile()) throw fileError("EINVAL", write.shown);
  // A rename would go over a file that says "read only".
  await access(write.dir.at(write.name), constants.W_OK);
  if (mustKeepInode(current)) return overwrite(write, current);
  return replace(write, current);
}

async function existing({ dir, name, shown }: Write): Promise<Stats | undefined> {
  const found = await lstat(dir.at(name)).catch((thrown) => {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw thrown;
  });
  if (found?.isSymbolicLink()) throw new PathSwapped(shown);
  return found;
}

function checkMatch({ shown, options }: Write, current: Stats | undefined): void {
  const { ifMatch } = options;
  if (ifMatch === undefined) return;
  if (ifMatch === "absent") {
    if (current) throw fileError("EEXIST", shown);
    return;
  }
  if (!current) throw fileError("ESTALE", shown, { problem: "is gone since it was read" });
  if (current.mtimeMs !== ifMatch.mtimeMs || current.size !== ifMatch.size) throw fileError("ESTALE", shown);
}

/** Its other names, or its owner, would be lost with the inode. */
function mustKeepInode(current: Stats): boolean {
  const user = process.geteuid?.();
  return current.nlink > 1 || (user !== 0 && current.uid !== user);
}

async function replace(write: Write, current: Stats | undefined): Promise<void> {
  const { dir, name, options } = write;
  const temporary = `.haft-${randomBytes(8).toString("hex")}.tmp`;
  let file: FileHandle;
  try {
    file = await open(dir.at(temporary), CREATE, current ? 0o600 : (options.mode ?? NEW_FILE_MODE));
  } catch (thrown) {
    // The file may be writable in a folder that is not.
    if (codeOf(thrown) === "EACCES" && current) return overwrite(write, current);
    throw thrown;
  }
  try {
    await fill(file, write, current);
    if (options.ifMatch) checkMatch(write, await existing(write));
    await rename(dir.at(temporary), dir.at(name));
  } catch (thrown) {
    await unlink(dir.at(temporary)).catch(() => {});
    throw thrown;
  }
}

async function fill(file: FileHandle, { dir, data, options, owner }: Write, current: Stats | undefined): Promise<void> {
  try {
    await dir.check();
    await file.writeFile(data);
    if (current) await file.chown(current.uid, current.gid).catch(() => {});
    else if (owner) await file.chown(owner.uid, owner.gid);
    const mode = current ? current.mode & 0o7777 : options.mode && options.mode & 0o777;
    if (mode !== undefined) await file.chmod(mode);
  } finally {
    await file.close();
  }
}

/** Exclusive rather than atomic: of two writers at once, one gets EEXIST. */
async function createOnly({ dir, name, data, options, owner }: Write): Promise<void> {
  const file = await open(dir.at(name), CREATE, options.mode ?? NEW_FILE_MODE);
  try {
    await dir.check();
    await file.writeFile(data);
    if (owner) await file.chown(owner.uid, owner.gid);
    if (options.mode !== undefined) await file.chmod(options.mode);
  } catch (thrown) {
    await unlink(dir.at(name)).catch(() => {});
    throw thrown;
  } finally {
    await file.close();
  }
}

async function overwrite({ dir, name, shown, data }: Write, current: Stats): Promise<void> {
  const file = await openRegular(dir, name, shown, constants.O_WRONLY);
  try {
    const opened = await file.stat();
    if (opened.dev !== current.dev || opened.ino !== current.ino) throw new PathSwapped(shown);
    await file.truncate(0);
    await file.writeFile(data);
  } finally {
    await file.close();
  }
}
