/** The one way out of a command's network namespace: a relay on its loopback that leads to the door of an egress policy. */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import type { EgressAudit, EgressDoor, EgressPolicy } from "../../core/egress.ts";
import type { Owner } from "../files/pinned-dir.ts";
import { sendSignal } from "../process/containment.ts";

export interface RelayPrograms {
  nsenter: string;
  setpriv: string;
  socat: string;
}

/** Who a command is in the first user namespace of bwrap, which needs this one to mount /dev/pts. */
const MAPPED = 0;
const PORT = 3128;
const PROXY = `http://127.0.0.1:${PORT}`;
/** How /proc/net/tcp shows a socket that listens there: address and port in hexadecimal, state 0A. */
const LISTENING = new RegExp(` 0100007F:${PORT.toString(16).toUpperCase().padStart(4, "0")} \\S+ 0A `);
const LISTEN_TRIES = 5000;
const LISTEN_PAUSE_MS = 2;
const TEXT_LIMIT = 4096;

/** Programs read one spelling or the other; Node 24 looks only when it is told to. */
const ENV: Record<string, string> = {
  ...Object.fromEntries(
    ["http_proxy", "https_proxy", "all_proxy"]
      .flatMap((name) => [name, name.toUpperCase()])
      .map((name) => [name, PROXY]),
  ),
  NODE_USE_ENV_PROXY: "1",
};

export interface NetworkParts {
  policy: EgressPolicy;
  /** Its id. */
  sandbox: string;
  programs: RelayPrograms;
  /** Who runs the commands outside. */
  owner: Owner;
}

export async function openCommandNetwork(parts: NetworkParts): Promise<CommandNetwork> {
  return new CommandNetwork(await parts.policy.open({ sandbox: parts.sandbox, exec: newId("exec") }), parts);
}

export class CommandNetwork {
  readonly env = ENV;
  /** Why the command could not be given its network; it was not started then. */
  failure: string | undefined;
  /** From then on the command may run; before, bwrap waits and does not look after its child. */
  isOpen = false;
  readonly #door: EgressDoor;
  readonly #programs: RelayPrograms;
  readonly #owner: Owner;
  #relay: ChildProcess | undefined;
  #closed = false;

  constructor(door: EgressDoor, { programs, owner }: Pick<NetworkParts, "programs" | "owner">) {
    this.#door = door;
    this.#programs = programs;
    this.#owner = owner;
  }

  get denied(): readonly EgressAudit[] {
    return this.#door.denied;
  }

  /**
   * bwrap says on one descriptor which process has the new namespaces, and waits on the other until that process has its
   * user. Only at this moment the namespaces can be entered without root's rights: later they have a user namespace in
   * front that does not own the network.
   */
  connect(child: ChildProcess, infoFd: number, blockFd: number): void {
    const info = child.stdio[infoFd] as Readable;
    const block = child.stdio[blockFd] as Writable;
    block.on("error", () => {});
    info.on("error", () => {});
    let text = "";
    info.on("data", (data) => {
      text += data;
      const pid = childPid(text);
      if (pid === undefined || this.#relay || this.#closed) return;
      this.#open(pid).then(
        () => {
          this.isOpen = true;
          block.end("\n");
        },
        (thrown) => {
          this.failure = `The command could not be given its network: ${messageOf(thrown)}`;
          sendSignal(-child.pid!, "SIGKILL");
        },
      );
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    const pid = this.#relay?.pid;
    if (pid !== undefined) sendSignal(-pid, "SIGKILL");
    await this.#door.close();
  }

  async #open(pid: number): Promise<void> {
    const { uid, gid } = this.#owner;
    await writeFile(`/proc/${pid}/setgroups`, "deny");
    await writeFile(`/proc/${pid}/uid_map`, `${MAPPED} ${uid} 1`);
    await writeFile(`/proc/${pid}/gid_map`, `${MAPPED} ${gid} 1`);
    await this.#startRelay(pid);
  }

  /**
   * It runs on the host, and has only the network of the sandbox: no socket is mounted into it. setpriv comes last, so that
   * the kernel ends the relay when this program dies. freebind: bwrap brings the loopback up only later.
   */
  async #startRelay(pid: number): Promise<void> {
    const { nsenter, setpriv, socat } = this.#programs;
    const relay = spawn(
      nsenter,
      [
        ...["-t", String(pid), "-U", "-n", "--preserve-credentials", setpriv, "--pdeathsig", "KILL", socat],
        ...[
          `TCP-LISTEN:${PORT},bind=127.0.0.1,freebind,fork,backlog=64`,
          `UNIX-CONNECT:${quoted(this.#door.socketPath)}`,
        ],
      ],
      { detached: true, stdio: ["ignore", "ignore", "pipe"], env: {}, cwd: "/" },
    );
    this.#relay = relay;
    let said = "";
    relay.stderr.on("data", (data) => {
      if (said.length < TEXT_LIMIT) said += data;
    });
    let ended: string | undefined;
    relay.on("error", (thrown) => {
      ended = messageOf(thrown);
    });
    relay.on("exit", () => {
      ended ??= said.trim().split("\n").pop() || "the relay ended";
    });
    for (let attempt = 0; attempt < LISTEN_TRIES; attempt++) {
      if (ended !== undefined) throw new Error(ended);
      if (this.#closed) throw new Error("the command was stopped");
      if (isListening(relay.pid)) return;
      await sleep(LISTEN_PAUSE_MS);
    }
    throw new Error("the relay does not listen");
  }
}

/** The relay's own view of the network is that of the sandbox once it has entered. */
function isListening(pid: number | undefined): boolean {
  try {
    return LISTENING.test(readFileSync(`/proc/${pid}/net/tcp`, "utf8"));
  } catch {
    return false;
  }
}

function childPid(info: string): number | undefined {
  try {
    return JSON.parse(info)["child-pid"];
  } catch {
    return undefined;
  }
}

/** Characters that mean something in an address of socat. */
function quoted(path: string): string {
  return path.replace(/[\\,:!"'()[\]{}]/g, "\\$&");
}
