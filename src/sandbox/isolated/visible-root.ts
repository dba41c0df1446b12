/** What of the machine a command sees beside its workspace, as arguments of bwrap. Everything else is not there. */
import { existsSync, lstatSync, readlinkSync } from "node:fs";

/** - `minimal`: programs and libraries (/usr), and what they need of /etc. - `host`: everything, read-only, but for what is usually private. */
export type RootKind = "minimal" | "host";

const LINKS_INTO_USR = ["bin", "sbin", "lib", "lib32", "lib64", "libx32"];

/** No passwd and no group: those are made. No resolv.conf: there is no name server. */
const ETC = [
  ...["ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "nsswitch.conf", "localtime", "os-release"],
  ...["mime.types", "protocols", "services", "shells", "terminfo", "inputrc"],
  ...["ssl/certs", "ssl/openssl.cnf", "ssl/cert.pem", "ca-certificates", "pki/tls/certs", "pki/ca-trust/extracted"],
];

/** Hidden of the machine's own root: homes, run-time sockets, what others put there, and passwords. */
const HIDDEN = [
  ...["/root", "/home", "/run", "/var/run", "/tmp", "/var/tmp", "/mnt", "/media", "/srv", "/boot", "/sys"],
  ...["/var/lib/docker", "/var/lib/containers", "/var/spool", "/var/log", "/var/backups", "/lost+found"],
  ...["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d"],
  ...["/etc/ssh", "/etc/ssl/private", "/etc/kubernetes", "/etc/docker"],
];

/**
 * Files of /proc that the user of a sandbox owns when root runs it, whatever the namespaces say: writing one of them
 * (core_pattern) is root's power over the machine. Docker masks the same.
 */
const PROC_READ_ONLY = ["sys", "sysrq-trigger", "irq", "bus", "fs", "mtrr", "tty", "pressure"];
const PROC_HIDDEN_FILES = ["kcore", "keys", "key-users", "latency_stats", "timer_list", "sched_debug", "kmsg"];
const PROC_HIDDEN_FOLDERS = ["acpi", "scsi", "asound"];

export const HOME = "/home/agent";
const SHM_BYTES = 64 * 1024 * 1024;

/** Files that are made for the sandbox; each is given on a descriptor. */
export const MADE_FILES: readonly { path: string; text: string }[] = [
  { path: "/etc/passwd", text: `root:x:0:0:root:/root:/usr/sbin/nologin\nagent:x:1000:1000::${HOME}:/bin/bash\n` },
  { path: "/etc/group", text: "root:x:0:\nagent:x:1000:\n" },
  { path: "/etc/hosts", text: "127.0.0.1 localhost sandbox\n::1 localhost\n" },
];

export function rootArgs(kind: RootKind): string[] {
  return kind === "host" ? hostRoot() : minimalRoot();
}

function minimalRoot(): string[] {
  const args = ["--ro-bind", "/usr", "/usr"];
  for (const name of LINKS_INTO_USR) {
    const found = lstatSync(`/${name}`, { throwIfNoEntry: false });
    if (found?.isSymbolicLink()) args.push("--symlink", readlinkSync(`/${name}`), `/${name}`);
    else if (found) args.push("--ro-bind", `/${name}`, `/${name}`);
  }
  for (const path of ETC.map((name) => `/etc/${name}`).filter(existsSync)) args.push("--ro-bind", path, path);
  return args;
}

function hostRoot(): string[] {
  const args = ["--ro-bind", "/", "/"];
  for (const path of HIDDEN) {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found || found.isSymbolicLink()) continue;
    args.push(...(found.isDirectory() ? ["--tmpfs", path] : ["--ro-bind", "/dev/null", path]));
  }
  return args;
}

/** /proc of its own processes, /dev with what programs expect, /tmp and a home in memory. */
export function privateArgs(tmpBytes: number): string[] {
  const inMemory = (path: string, bytes: number) => ["--size", String(bytes), "--tmpfs", path];
  return [
    ...["--proc", "/proc", ...procMasks()],
    ...["--dev", "/dev", ...inMemory("/dev/shm", SHM_BYTES), "--remount-ro", "/dev"],
    ...inMemory("/tmp", tmpBytes),
    ...inMemory(HOME, tmpBytes),
  ];
}

function procMasks(): string[] {
  const there = (name: string) => existsSync(`/proc/${name}`);
  return [
    ...PROC_READ_ONLY.filter(there).flatMap((name) => ["--ro-bind", `/proc/${name}`, `/proc/${name}`]),
    ...PROC_HIDDEN_FILES.filter(there).flatMap((name) => ["--ro-bind", "/dev/null", `/proc/${name}`]),
    ...PROC_HIDDEN_FOLDERS.filter(there).flatMap((name) => [
      "--tmpfs",
      `/proc/${name}`,
      "--remount-ro",
      `/proc/${name}`,
    ]),
  ];
}
