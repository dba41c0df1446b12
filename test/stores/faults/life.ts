/** The life of one process that works on sessions: what it said, and how it ended. */
import { spawn } from "node:child_process";
import type { Decision } from "../../../src/index.ts";
import type { Random } from "../../modes/code/faults/random-program.ts";
import type { Where } from "./open-store.ts";

export interface Order {
  /** The program, as `build-child.ts` made it. */
  child: string;
  where: Where;
  /** The file that the tools write to. */
  effects: string;
  sessions: { session: string; decide: { callId: string; decision: Decision }[] }[];
  script: { name: string; n: number }[][];
  ttlMs: number;
  toolMs: number;
}

export interface Report {
  status: string;
  output?: string;
  code?: string;
  message?: string;
  pending: { callId: string; name: string; reason: string }[];
}

export interface Life {
  pid: number;
  wasKilled: boolean;
  /** Of a session: `seq` and digest of each entry that was acknowledged. */
  acknowledged: Map<string, { seq: number; digest: string; type: string; key: string }[]>;
  asked: { session: string; place: number; digest: string }[];
  reports: Map<string, Report>;
}

/** When a process is killed: after so many appends (0: as soon as it is ready), and a little later. */
export interface KillPlan {
  appends: number;
  laterMs: number;
}

/** One in four dies before it has written anything, so while it reads the log and looks what to do. */
export function planKill(random: Random, mostAppends: number): KillPlan {
  const appends = random() < 0.25 ? 0 : 1 + Math.floor(random() * mostAppends);
  return { appends, laterMs: appends === 0 ? random() * 25 : random() * 4 };
}

export interface Started {
  /** Fills while the process works. */
  life: Life;
  /** When it is gone, and all that it said is read. */
  ended: Promise<Life>;
  /** False when it is gone already. */
  signal(name: NodeJS.Signals): boolean;
}

/** `watch` is told each line. */
export function start(order: Order, plan?: KillPlan, watch: (line: string) => void = () => {}): Started {
  const child = spawn(process.execPath, [order.child, JSON.stringify(order)], { stdio: ["ignore", "pipe", "pipe"] });
  const life: Life = { pid: child.pid!, wasKilled: false, acknowledged: new Map(), asked: [], reports: new Map() };
  const killing = killAsPlanned(plan, () => child.kill("SIGKILL"));
  let [rest, errors] = ["", ""];
  child.stdout.on("data", (data) => {
    const lines = (rest + data).split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      note(life, line);
      killing.tell(line);
      watch(line);
    }
  });
  child.stderr.on("data", (data) => {
    errors += data;
  });
  const ended = new Promise<Life>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      killing.end();
      life.wasKilled = signal === "SIGKILL";
      if (life.wasKilled || code === 0) resolve(life);
      else reject(new Error(errors || `the process ended with ${code ?? signal}`));
    });
  });
  return { life, ended, signal: (name) => child.kill(name) };
}

function killAsPlanned(plan: KillPlan | undefined, kill: () => void) {
  let left = plan?.appends ?? -1;
  let timer: NodeJS.Timeout | undefined;
  return {
    tell(line: string) {
      const counts = line === "ready" || line.startsWith("appended ");
      if (plan && counts && left-- === 0) timer = setTimeout(kill, plan.laterMs);
    },
    end: () => clearTimeout(timer),
  };
}

function note(life: Life, line: string): void {
  const [what, session, ...words] = line.split(" ") as [string, string, ...string[]];
  if (what === "ack") {
    const [seq, digest, type, key] = words as [string, string, string, string];
    const list = life.acknowledged.get(session) ?? [];
    list.push({ seq: Number(seq), digest, type, key });
    life.acknowledged.set(session, list);
  }
  if (what === "asked") life.asked.push({ session, place: Number(words[0]), digest: words[1]! });
  if (what === "end") life.reports.set(session, JSON.parse(words.join(" ")));
}
