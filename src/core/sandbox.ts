/** The contract between tools and the place where files and processes live. Rooms in `sandbox/` implement it. */
import type { EgressAudit } from "./egress.ts";

export type FileType = "file" | "dir" | "symlink" | "other";

export interface FileStat {
  type: FileType;
  size: number; // bytes
  mtimeMs: number;
  /** POSIX mode bits. */
  mode: number;
}

export interface DirEntry {
  name: string;
  type: FileType;
  /** Where a symlink points, as written. Never followed. */
  target?: string;
}

export interface ReadFileOptions {
  /** First byte, from 0. */
  offset?: number;
  /** How many bytes from `offset`. Default: all. */
  length?: number;
  /** A larger file is refused with EFBIG. Default: 50 MiB; does not apply when `length` is given. */
  maxBytes?: number;
  abortSignal?: AbortSignal;
}

export interface WriteFileOptions {
  /** POSIX mode of a new file. Default 0o644; an existing file keeps its own. */
  mode?: number;
  /** Refuse with ESTALE when the file is not this one any more, or, with "absent", with EEXIST when there is one. */
  ifMatch?: { mtimeMs: number; size: number } | "absent";
}

export type ExecStatus = "exited" | "signaled" | "timeout" | "aborted" | "output_limit" | "spawn_error";

export interface OutputChunk {
  stream: "stdout" | "stderr";
  data: Uint8Array;
}

export interface ExecOptions {
  /** Relative to the sandbox's cwd. Must be inside the sandbox. */
  cwd?: string;
  /** Added to the sandbox's own environment. Nothing else reaches the command. */
  env?: Record<string, string>;
  /** Default: closed. */
  stdin?: Uint8Array;
  /** Default 120,000. When it passes, the whole process tree is killed. */
  timeoutMs?: number;
  abortSignal?: AbortSignal;
  /** Bytes kept in memory for each of stdout, stderr and combined: the first half and the last half. Default 1 MiB. */
  maxOutputBytes?: number;
  /** The command is stopped with `output_limit` when stdout and stderr together pass this. Default 1 GiB. */
  hardOutputBytes?: number;
  /** Called as output arrives, where `capabilities.streaming` is true; otherwise once at the end. */
  onOutput?(chunk: OutputChunk): void;
}

export interface ExecResult {
  status: ExecStatus;
  /** null unless status is `exited`. */
  exitCode: number | null;
  /** The signal's name when status is `signaled`. */
  signal: string | null;
  stdout: Uint8Array;
  stderr: Uint8Array;
  /** Both, in order of arrival. */
  combined: Uint8Array;
  /** Bytes written, kept or not. */
  stdoutTotal: number;
  stderrTotal: number;
  /** True when bytes were left out of the middle. */
  truncated: boolean;
  durationMs: number;
  /** Why a command could not be started, in a sentence. */
  error?: string;
  /** Requests that the egress policy refused while it ran. */
  egressDenied?: readonly EgressAudit[];
}

/** A command that is running. Its whole process tree ends with it. */
export interface ExecHandle {
  readonly id: string;
  /** The output as it arrives. */
  readonly output: AsyncIterable<OutputChunk>;
  readonly result: Promise<ExecResult>;
  write(data: Uint8Array): Promise<void>;
  endInput(): void;
  kill(): Promise<void>;
}

export interface GlobQuery {
  /** `**`, `*`, `?`, `[a-z]`, `{a,b}`. Relative to `path`; a pattern without a slash matches at any depth. */
  pattern: string;
  /** Where to start. Default: the sandbox's cwd. */
  path?: string;
  /** Default 1,000; at most 10,000. */
  limit?: number;
  abortSignal?: AbortSignal;
}

export interface GlobResult {
  /** Relative to `path`, sorted. Files only; `.git` never; `.gitignore` respected. */
  files: string[];
  /** How many matched in all. */
  total: number;
}

export interface GrepQuery {
  /** A linear-time regular expression (RE2 syntax), or plain text with `literal`. */
  pattern: string;
  literal?: boolean;
  ignoreCase?: boolean;
  /** `.` matches line ends, and a match may span lines. */
  multiline?: boolean;
  /** A file or a folder. Default: the sandbox's cwd. */
  path?: string;
  /** Only files that match this glob. */
  glob?: string;
  /** Lines of context before and after each match. */
  before?: number;
  after?: number;
  /** Matching lines kept. Default 250. */
  limit?: number;
  /** Matching lines skipped first. */
  offset?: number;
  /** Default 20,000. */
  timeoutMs?: number;
  abortSignal?: AbortSignal;
}

export interface GrepLine {
  /** Relative to the sandbox's cwd. */
  path: string;
  /** From 1. */
  line: number;
  text: string;
  /** False for a line of context. */
  match: boolean;
}

export interface GrepResult {
  lines: GrepLine[];
  /** Matching lines in each file, also of those that `limit` left out. */
  files: { path: string; count: number }[];
  /** Matching lines in all. */
  total: number;
  filesSearched: number;
  timedOut: boolean;
}

/** One file that an overlay holds back from the host, or that a call would change. */
export interface FileChange {
  /** Relative to the root of the mount; as the call names it, where it is one that a call would make. */
  path: string;
  type: "created" | "modified" | "deleted";
  /** null where there is none. */
  before: Uint8Array | null;
  after: Uint8Array | null;
  mode?: number;
}

/** What an overlay holds back. It holds its own bytes, and is still good when the sandbox is gone. */
export interface Changes {
  readonly files: readonly FileChange[];
  /**
   * Writes the changes to the host folder. Nothing is written when a host file is no longer what it was when the
   * sandbox first changed it: that is HaftError `SANDBOX_CONFLICT`, which names the files.
   */
  apply(): Promise<{ written: string[]; deleted: string[] }>;
}

export interface SandboxCapabilities {
  /** Programs of the machine (node, git, python) can run. */
  realProcesses: boolean;
  /** Output arrives while a command runs. */
  streaming: boolean;
  /** Output bytes are exact. */
  byteOutput: boolean;
  /** Commands may go on in the background while a handle is held. */
  background: boolean;
  /** Writes are held back from the host until `diff().apply()`. */
  overlay: boolean;
  mount: "none" | "create" | "live";
  isolates: { files: boolean; network: boolean; processes: boolean };
  /** false: no command has a network. true: a policy lets some through. Left out: not known. */
  egress?: boolean;
  limits: { memory: boolean; processes: boolean; disk: boolean; cpu: boolean };
  /** Sentences for the model: what does not work here. */
  notes: string[];
}

/**
 * Files and processes, as a tool sees them. Paths are POSIX paths, absolute or relative to `cwd`.
 * File methods reject with a HaftError whose code is one of ENOENT, EISDIR, ENOTDIR, EPERM, EINVAL, ENAMETOOLONG,
 * EFBIG, EROFS, EEXIST, ESTALE, and whose message says what to do next.
 */
export interface SandboxFiles {
  readFile(path: string, options?: ReadFileOptions): Promise<Uint8Array>;
  /** Creates parent folders. Replaces by temp file and rename, keeping the mode; writes in place where the target is hard-linked. */
  writeFile(path: string, data: Uint8Array, options?: WriteFileOptions): Promise<void>;
  stat(path: string, options?: { followSymlinks?: boolean }): Promise<FileStat>;
  /** Sorted by name. Never follows links. */
  list(path: string): Promise<DirEntry[]>;
  mkdir(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string, options?: { recursive?: boolean }): Promise<void>;
  glob(query: GlobQuery): Promise<GlobResult>;
  grep(query: GrepQuery): Promise<GrepResult>;
}

/** The half that a tool gets. */
export interface SandboxAccess extends SandboxFiles {
  readonly id: string;
  readonly kind: "local" | "virtual" | "isolated" | "container" | (string & {});
  /** A POSIX path inside the sandbox. */
  readonly cwd: string;
  readonly capabilities: SandboxCapabilities;
  /**
   * Runs a command to its end. A string goes to a shell; an array is a program and its arguments, without a shell.
   * Never rejects for what the command did: look at `status`. On return its whole process tree is dead.
   */
  exec(command: string | readonly string[], options?: ExecOptions): Promise<ExecResult>;
  /** Starts a command and returns at once. Rejects with SANDBOX_UNSUPPORTED where `capabilities.background` is false. */
  start(command: string | readonly string[], options?: ExecOptions): Promise<ExecHandle>;
}

/** The whole: its owner opens and closes it. */
export interface Sandbox extends SandboxAccess {
  /** One sentence on what this is and why, for the first line of a run. */
  readonly summary: string;
  /** What is held back from the host; absent where nothing is. */
  diff?(): Promise<Changes>;
  mount?(mount: { host: string; path: string; mode: "ro" | "overlay" | "rw" }): Promise<void>;
  /** Kills what still runs. Safe to call twice. */
  dispose(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Makes sandboxes, and can tell beforehand whether it works here. */
export interface SandboxProvider {
  readonly kind: string;
  create(options: { cwd: string }): Promise<Sandbox>;
  /** What is missing here, and how to get it. */
  check(): Promise<{ ok: boolean; problems: string[] }>;
}
