/** What of the machine a command sees beside its workspace, as arguments of bwrap. Everything else is not there. */
import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";

/** - `minimal`: programs and libraries (/usr), and what they need of /etc. - `host`: everything, read-only, but for what is usually private. */
export type RootKind = "minimal" | "host";

const LINKS_INTO_USR = ["bin", "sbin", "lib", "lib32", "lib64", "libx32"];

/** Few, for each mount costs a quarter of a millisecond for each command. No resolv.conf: there is no name server. */
const ETC = [
  ...["ld.so.cache", "alternatives", "localtime", "os-release", "services"],
  ...["ssl/certs", "ssl/openssl.cnf", "ssl/cert.pem", "pki/tls/certs", "pki/ca-trust/extracted"],
];

/** Hidden of the machine's own root: homes, run-time sockets, what others put there, and passwords. */
const HIDDEN = [
  ...["/root", "/home", "/run", "/var/run", "/tmp", "/var/tmp", "/mnt", "/media", "/srv", "/boot", "/sys"],
  ...["/var/lib/docker", "/var/lib/containers", "/var/spool", "/var/log", "/var/backups", "/lost+found"],
  ...["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d"],
  ...["/etc/ssh", "/etc/ssl/private", "/etc/kubernetes", "/etc/docker"],
];

/**
 * Parts of /proc that the user of a sandbox owns when root runs it, whatever the namespaces say: writing one of them
 * (core_pattern) is root's power over the machine. Others could not write them anyway. Docker masks the same.
 */
const PROC_READ_ONLY = ["sys", "sysrq-trigger", "pressure"];
const PROC_READ_ONLY_OF_ROOT = ["irq", "bus", "fs", "mtrr", "tty"];
const PROC_HIDDEN_FILES = ["keys"];
const PROC_HIDDEN_FILES_OF_ROOT = ["kcore", "key-users", "latency_stats", "timer_list", "sched_debug", "kmsg"];
const PROC_HIDDEN_FOLDERS = ["acpi", "scsi", "asound"];

export const HOME = "/home/agent";
const SHM_BYTES = 64 * 1024 * 1024;

export interface MadeFile {
  path: string;
  text: string;
}

/** What is the same for every command of a sandbox. */
export interface VisibleRoot {
  args: readonly string[];
  /** Files that are not those of the machine; bwrap gets each on a descriptor. */
  files: readonly MadeFile[];
}

const MADE_FILES: readonly MadeFile[] = [
  { path: "/etc/passwd", text: `root:x:0:0:root:/root:/usr/sbin/nologin\nagent:x:1000:1000::${HOME}:/bin/bash\n` },
  { path: "/etc/group", text: "root:x:0:\nagent:x:1000:\n" },
  { path: "/etc/hosts", text: "127.0.0.1 localhost sandbox\n::1 localhost\n" },
  { path: "/etc/nsswitch.conf", text: "passwd: files\ngroup: files\nhosts: files dns\nservices: files\n" },
];

export function visibleRoot(kind: RootKind): VisibleRoot {
  return kind === "host" ? { args: hostRoot(), files: [] } : { args: minimalRoot(), files: MADE_FILES };
}

function minimalRoot(): string[] {
  const args = ["--ro-bind", "/usr", "/usr"];
  for (const name of LINKS_INTO_USR) {
    const found = lstatSync(`/${name}`, { throwIfNoEntry: false });
    if (found?.isSymbolicLink()) args.push("--symlink", readlinkSync(`/${name}`), `/${name}`);
    else if (found) args.push("--ro-bind", `/${name}`, `/${name}`);
  }
  for (const path of ETC.map((name) => `/etc/${name}`).filter(existsSync)) args.push(...etcArgs(path));
  return args;
}

/** What leads into /usr is there already: a link costs no mount. */
function etcArgs(path: string): string[] {
  const real = realpathSync(path);
  return real.startsWith("/usr/") ? ["--symlink", real, path] : ["--ro-bind", real, path];
}

function hostRoot(): string[] {
  const args = ["--ro-bind", "/", "/"];
  for (const path of HIDDEN) {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found || found.isSymbolicLink()) continue;
    args.push(...(found.isDirectory() ? emptyFolderArgs(path) : ["--ro-bind", "/dev/null", path]));
  }
  return args;
}

/** /proc of its own processes, /dev with what programs expect, /tmp and a home in memory. */
export function privateArgs(tmpBytes: number, isRoot: boolean): string[] {
  const inMemory = (path: string, bytes: number) => ["--size", String(bytes), "--tmpfs", path];
  return [
    ...["--proc", "/proc", ...procMasks(isRoot)],
    ...["--dev", "/dev", ...inMemory("/dev/shm", SHM_BYTES), "--remount-ro", "/dev"],
    ...inMemory("/tmp", tmpBytes),
    ...inMemory(HOME, tmpBytes),
  ];
}

/** An empty folder in memory, which cannot be written without a chmod, and holds next to nothing after one. */
export function emptyFolderArgs(path: string): string[] {
  return ["--perms", "0555", "--size", "4096", "--tmpfs", path];
}

function procMasks(isRoot: boolean): string[] {
  const there = (names: readonly string[]) => names.map((name) => `/proc/${name}`).filter(existsSync);
  const readOnly = there(isRoot ? [...PROC_READ_ONLY, ...PROC_READ_ONLY_OF_ROOT] : PROC_READ_ONLY);
  const hidden = there(isRoot ? [...PROC_HIDDEN_FILES, ...PROC_HIDDEN_FILES_OF_ROOT] : PROC_HIDDEN_FILES);
  return [
    ...readOnly.flatMap((path) => ["--ro-bind", path, path]),
    ...hidden.flatMap((path) => ["--ro-bind", "/dev/null", path]),
    ...there(PROC_HIDDEN_FOLDERS).flatMap(emptyFolderArgs),
  ];
}
