/**
 * The worker of the virtual sandbox, a process: runs one command at a time in just-bash. It holds no files of its own;
 * every file call of the shell is a message to the host, which keeps the tree. So the host may kill it and lose nothing.
 */

import { Worker } from "node:worker_threads";
import { Bash, InMemoryFs } from "just-bash";
import { encodingOf, fileError, kindOf, toStat } from "./worker-files.mjs";

/** @typedef {import("./worker-files.mjs").FileStat} FileStat */
/** @typedef {{ script: string, args?: string[], cwd: string, env: Record<string, string>, stdin: Uint8Array, timeoutMs: number, outputBytes: number, hasNetwork: boolean }} Command */

/** Taken now, because the shell locks `process` while a script runs. @type {(message: object) => void} */
const send = /** @type {any} */ (process.send).bind(process);

/** The folders that every shell expects: the commands, /dev and /proc. Read only, the same in every process. */
let system = systemFiles();
let isOnline = false;
const SYSTEM_FOLDERS = ["bin", "dev", "proc", "usr"];
const SINKS = new Set(["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"]);

/** @param {import("just-bash").SecureFetch} [fetch] */
function systemFiles(fetch) {
  const fs = new InMemoryFs();
  new Bash({ fs, cwd: "/", fetch });
  return fs;
}

/** @type {Map<number, { resolve: (value: any) => void, reject: (error: Error) => void }>} */
const pending = new Map();
let lastCall = 0;

/** @param {string} name @param {...unknown} args @returns {Promise<any>} */
function callHost(name, ...args) {
  return new Promise((resolve, reject) => {
    pending.set(++lastCall, { resolve, reject });
    send({ type: "call", id: lastCall, name, args });
  });
}

/** @param {string} path */
function isSystem(path) {
  return SYSTEM_FOLDERS.includes(path.split("/", 2)[1] ?? "");
}

/** @param {string} path */
function refuseSystem(path) {
  if (isSystem(path)) throw fileError("EROFS", path);
}

/**
 * The file system of the shell. Paths are absolute; just-bash resolves them first.
 * @type {import("just-bash").IFileSystem}
 */
const files = {
  async readFileBuffer(path) {
    if (SINKS.has(path)) return new Uint8Array(0);
    return isSystem(path) ? system.readFileBuffer(path) : callHost("read", path);
  },
  async readFile(path, options) {
    return Buffer.from(await files.readFileBuffer(path)).toString(encodingOf(options));
  },
  async readFileBytes(path) {
    return /** @type {any} */ (Buffer.from(await files.readFileBuffer(path)).toString("latin1"));
  },
  async writeFile(path, content, options) {
    await write(path, content, options, false);
  },
  async appendFile(path, content, options) {
    await write(path, content, options, true);
  },
  async exists(path) {
    return isSystem(path) ? system.exists(path) : callHost("exists", path);
  },
  async stat(path) {
    return isSystem(path) ? system.stat(path) : toStat(await callHost("stat", path, true));
  },
  async lstat(path) {
    return isSystem(path) ? system.lstat(path) : toStat(await callHost("stat", path, false));
  },
  async readdirWithFileTypes(path) {
    if (isSystem(path)) return system.readdirWithFileTypes(path);
    /** @type {{ name: string, type: FileStat["type"] }[]} */
    const entries = await callHost("list", path);
    if (path === "/") for (const name of SYSTEM_FOLDERS) entries.push({ name, type: "dir" });
    return entries.map(({ name, type }) => ({ name, ...kindOf(type) }));
  },
  async readdir(path) {
    return (await files.readdirWithFileTypes?.(path))?.map((entry) => entry.name) ?? [];
  },
  async mkdir(path, options) {
    if (isSystem(path)) throw fileError((await system.exists(path)) ? "EEXIST" : "EROFS", path);
    await callHost("mkdir", path, options?.recursive === true);
  },
  async rm(path, options) {
    refuseSystem(path);
    try {
      await callHost("remove", path, options?.recursive === true);
    } catch (error) {
      if (!options?.force || /** @type {any} */ (error).code !== "ENOENT") throw error;
    }
  },
  async cp(from, to, options) {
    if (isSystem(from)) return files.writeFile(to, await files.readFileBuffer(from));
    refuseSystem(to);
    await callHost("copy", from, to, options?.recursive === true);
  },
  async mv(from, to) {
    refuseSystem(from);
    refuseSystem(to);
    await callHost("rename", from, to);
  },
  async chmod(path, mode) {
    refuseSystem(path);
    await callHost("chmod", path, mode);
  },
  async utimes(path, _atime, mtime) {
    if (SINKS.has(path)) return;
    refuseSystem(path);
    await callHost("touch", path, mtime.getTime());
  },
  async symlink(target, path) {
    refuseSystem(path);
    await callHost("symlink", target, path);
  },
  async link(existing, path) {
    refuseSystem(existing);
    refuseSystem(path);
    await callHost("link", existing, path);
  },
  async readlink(path) {
    return isSystem(path) ? system.readlink(path) : callHost("readlink", path);
  },
  async realpath(path) {
    return isSystem(path) ? system.realpath(path) : callHost("realpath", path);
  },
  resolvePath(base, path) {
    if (base.length + path.length > 8192) throw fileError("ENAMETOOLONG", path);
    return system.resolvePath(base, path);
  },
  // Globs use the folders.
  getAllPaths: () => [],
};

/** @param {string} path @param {string | Uint8Array} content @param {any} options @param {boolean} append */
async function write(path, content, options, append) {
  if (SINKS.has(path)) return;
  refuseSystem(path);
  const bytes = typeof content === "string" ? new Uint8Array(Buffer.from(content, encodingOf(options))) : content;
  await callHost("write", path, bytes, append);
}

/**
 * The network is the host's: it decides, makes the request, and hands back the whole answer.
 * @type {import("just-bash").SecureFetch}
 */
async function fetchFromHost(url, { method, headers, body, followRedirects, maxRedirects, timeoutMs } = {}) {
  const pairs = headers && Symbol.iterator in headers ? [...headers] : Object.entries(headers ?? {});
  const bytes = body === undefined ? undefined : bytesOf(body);
  const more = { headers: pairs, body: bytes, followRedirects, maxRedirects, timeoutMs };
  const answer = await callHost("fetch", { url, method, ...more });
  if (answer.error !== undefined) throw new Error(answer.error);
  return answer;
}

/** The host's clock comes first, so that it knows why a command ended. */
const OWN_GRACE_MS = 100;

let controller = new AbortController();

/** @param {Command} command */
async function run(command) {
  controller = new AbortController();
  if (command.hasNetwork && !isOnline) {
    system = systemFiles(fetchFromHost);
    isOnline = true;
  }
  const many = 10_000_000;
  const bash = new Bash({
    fs: files,
    cwd: command.cwd,
    env: command.env,
    fetch: command.hasNetwork ? fetchFromHost : undefined,
    // The host stops a command by its time, so counting is only a second net.
    executionLimits: {
      maxExecutionTimeMs: command.timeoutMs + OWN_GRACE_MS,
      maxOutputSize: command.outputBytes,
      ...{
        maxCommandCount: many,
        maxLoopIterations: many,
        maxAwkIterations: many,
        maxSedIterations: many,
        maxJqIterations: many,
      },
    },
  });
  const result = await bash.exec(command.script, {
    ...{ rawScript: true, cwd: command.cwd, args: command.args, signal: controller.signal },
    ...{ stdin: Buffer.from(command.stdin).toString("latin1"), stdinKind: "bytes" },
  });
  return { type: "done", exitCode: result.exitCode, stdout: bytesOf(result.stdout), stderr: bytesOf(result.stderr) };
}

/** A redirection that cannot be written ends the whole script. @param {any} error */
function failure(error) {
  const message = error instanceof Error ? error.message : String(error);
  if (error?.code === undefined) return { type: "failed", message };
  return { type: "done", exitCode: 1, stdout: bytesOf(""), stderr: bytesOf(`bash: ${message}\n`) };
}

/** @param {string} text */
function bytesOf(text) {
  return new Uint8Array(Buffer.from(text, "utf8"));
}

process.on("message", async (/** @type {any} */ message) => {
  if (message.type === "abort") controller.abort();
  if (message.type === "answer") {
    const call = pending.get(message.id);
    pending.delete(message.id);
    if (message.code === undefined) call?.resolve(message.value);
    else call?.reject(fileError(message.code, message.path));
  }
  if (message.type === "run") {
    send(await run(message.command).catch(failure));
  }
});

// Without a host nobody is left to ask for files. A script that never rests would not notice: a thread of its own does.
process.on("disconnect", () => process.exit());
send({ type: "ready" });
const watch = `setInterval(() => process.ppid === ${Number(process.argv[2])} || process.kill(process.pid, "SIGKILL"), 500)`;
new Worker(watch, { eval: true, execArgv: [], env: {} }).unref();
