/** The one way out of a command's network namespace: a relay on its loopback that leads to the door of an egress policy. */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import type { EgressAudit, EgressDoor, EgressPolicy } from "../../core/egress.ts";
import { sendSignal } from "../process/containment.ts";

export interface RelayPrograms {
  nsenter: string;
  setpriv: string;
  socat: string;
}

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

export async function openCommandNetwork(
  policy: EgressPolicy,
  sandbox: string,
  programs: RelayPrograms,
): Promise<CommandNetwork> {
  return new CommandNetwork(await policy.open({ sandbox, exec: newId("exec") }), programs);
}

export class CommandNetwork {
  readonly env = ENV;
  /** Why the command could not be given its network; it was not started then. */
  failure: string | undefined;
  readonly #door: EgressDoor;
  readonly #programs: RelayPrograms;
  #relay: ChildProcess | undefined;
  #closed = false;

  constructor(door: EgressDoor, programs: RelayPrograms) {
    this.#door = door;
    this.#programs = programs;
  }

  get denied(): readonly EgressAudit[] {
    return this.#door.denied;
  }

  /** bwrap says on one descriptor which process has the new namespace, and waits on the other until it may go on. */
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
      this.#startRelay(pid).then(
        () => block.end("\n"),
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

  /**
   * It runs on the host, and has only the network of the sandbox: no socket is mounted into it. setpriv comes last, so that
   * the kernel ends the relay when this program dies.
   */
  async #startRelay(pid: number): Promise<void> {
    const { nsenter, setpriv, socat } = this.#programs;
    const relay = spawn(
      nsenter,
      [
        ...["-t", String(pid), "-U", "-n", "--preserve-credentials", setpriv, "--pdeathsig", "KILL", socat],
        ...[`TCP-LISTEN:${PORT},bind=127.0.0.1,fork,backlog=64`, `UNIX-CONNECT:${quoted(this.#door.socketPath)}`],
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
