/**
 * A control group for the commands of one sandbox: limits on memory and processes together, which bind root too.
 *
 * Version 1: a group below this process's own, for memory and for pids. Version 2: a group beside this process's own,
 * where the one above hands both controllers down; systemd does so for its users' own units.
 */

import { randomBytes } from "node:crypto";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { CheckedLimits } from "./limits.ts";

const MEBIBYTE = 1024 * 1024;
const NAME = "haft";
const REMOVAL_TRIES = 40;
const REMOVAL_PAUSE_MS = 25;

type Wanted = Pick<CheckedLimits, "memoryMb" | "processes">;

interface Parent {
  folder: string;
  /** What to write into which file of a group made in it. */
  settings(limits: Wanted): [file: string, value: string][];
}

export class ControlGroup {
  private constructor(readonly folders: readonly string[]) {}

  /** A new group, or undefined where this user may not make one that holds both. */
  static create(limits: Wanted): ControlGroup | undefined {
    const parents = findParents();
    if (!parents) return undefined;
    const name = `${NAME}-${pidNamespace()}-${process.pid}-${randomBytes(6).toString("hex")}`;
    const made: string[] = [];
    try {
      for (const { folder, settings } of parents) {
        removeStale(folder);
        const group = join(folder, name);
        mkdirSync(group);
        made.push(group);
        for (const [file, value] of settings(limits)) writeFileSync(join(group, file), value);
        accessSync(join(group, "cgroup.procs"), constants.W_OK);
      }
      return new ControlGroup(made);
    } catch {
      for (const group of made) tryRemove(group);
      return undefined;
    }
  }

  /** Lines of bash that put the shell into the group, or end it. */
  get enter(): string {
    return this.folders.map((folder) => `${this.#entry(folder)} || exit 125; `).join("");
  }

  /**
   * A process that moves its one thread, 0 in `tasks`, spares the kernel a lock over all forks, and the wait of some
   * milliseconds for it (Linux 5.6: "Optimize single thread migration"). Version 2 has no such file.
   */
  #entry(folder: string): string {
    return existsSync(join(folder, "tasks")) ? `echo 0 > '${folder}/tasks'` : `echo $$ > '${folder}/cgroup.procs'`;
  }

  /** A group goes when the kernel has forgotten its last process, which may be a moment after that process's end. */
  async remove(): Promise<void> {
    for (const folder of this.folders) {
      for (let attempt = 0; attempt < REMOVAL_TRIES; attempt++) {
        const gone = await rmdir(folder).then(
          () => true,
          () => !existsSync(folder),
        );
        if (gone) break;
        await sleep(REMOVAL_PAUSE_MS);
      }
    }
  }
}

const memoryV1 = ({ memoryMb }: Wanted): [string, string][] => [["memory.limit_in_bytes", String(memoryMb * MEBIBYTE)]];
const pidsV1 = ({ processes }: Wanted): [string, string][] => [["pids.max", String(processes)]];
const bothV2 = ({ memoryMb, processes }: Wanted): [string, string][] => [
  ["memory.max", String(memoryMb * MEBIBYTE)],
  ["pids.max", String(processes)],
];

function findParents(): Parent[] | undefined {
  const own = ownGroups();
  const [memory, pids] = [own.get("memory"), own.get("pids")];
  if (memory !== undefined && pids !== undefined) {
    return [
      { folder: join("/sys/fs/cgroup/memory", memory), settings: memoryV1 },
      { folder: join("/sys/fs/cgroup/pids", pids), settings: pidsV1 },
    ];
  }
  const unified = own.get("");
  if (unified === undefined || unified === "/") return undefined;
  const folder = join("/sys/fs/cgroup", dirname(unified));
  const handedDown = read(join(folder, "cgroup.subtree_control")).split(/\s+/);
  if (!handedDown.includes("memory") || !handedDown.includes("pids")) return undefined;
  return [{ folder, settings: bothV2 }];
}

/** This process's own group for each controller; "" is version 2. */
function ownGroups(): Map<string, string> {
  const groups = new Map<string, string>();
  for (const line of read("/proc/self/cgroup").split("\n")) {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    for (const controller of controllers?.split(",") ?? []) groups.set(controller, path!);
  }
  return groups;
}

/** Groups of programs that were killed. One with a process in it does not go. */
function removeStale(folder: string): void {
  const prefix = `${NAME}-${pidNamespace()}-`;
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(prefix)) continue;
    const pid = name.slice(prefix.length).split("-")[0];
    if (!existsSync(`/proc/${pid}`)) tryRemove(join(folder, name));
  }
}

function pidNamespace(): string {
  return readlinkSync("/proc/self/ns/pid").replace(/\D/g, "");
}

function tryRemove(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Something is still in it.
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
