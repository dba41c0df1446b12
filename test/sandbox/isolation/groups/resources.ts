/** R: commands that want all of the machine: its time, its memory, its disk, its processes, the reader's attention. */
import { statSync } from "node:fs";
import { join } from "node:path";
import {
  ALL_LIMIT,
  ALL_WORK,
  type Attack,
  type Expected,
  type Here,
  NO_PROCESSES,
  NOTHING_LIMITS,
  notApplicable,
} from "../attack.ts";
import { type Scene, seen } from "../scene.ts";

const EACH_BY_ITSELF = notApplicable("without a control group each process is limited by itself");
const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

/** What `yes` is where there is none: a mebibyte at a time. */
const ENDLESS = "printf '%1048575s\\n' x > big; while cat big; do :; done";

export const resourceAttacks: Attack[] = [
  {
    id: "R01",
    title: "a busy loop",
    isSlow: true,
    expect: ALL_LIMIT,
    run: (scene) => endsInTime(scene, "while :; do :; done"),
  },
  {
    id: "R02",
    title: "a long sleep",
    expect: ALL_LIMIT,
    run: (scene) => endsInTime(scene, "sleep 100"),
  },
  {
    id: "R03",
    title: "an abort",
    expect: ALL_LIMIT,
    run: async (scene) => {
      const { status, durationMs } = await scene.exec("sleep 100", { abortSignal: AbortSignal.timeout(300) });
      return seen(status === "aborted" && durationMs < 5000 ? "limited" : "fails", `${status} after ${durationMs} ms`);
    },
  },
  {
    id: "R04",
    title: "SIGTERM is ignored",
    isSlow: true,
    expect: { ...ALL_LIMIT, virtual: NO_PROCESSES },
    run: (scene) => endsInTime(scene, "trap '' TERM INT HUP; while :; do sleep 0.1; done"),
  },
  {
    id: "R05",
    title: "3,000 processes",
    // The kernel's own limit for each user does not bind root.
    expect: { local: NOTHING_LIMITS, virtual: NO_PROCESSES, isolated: limitedUnlessRootAlone },
    needs: ["perl"],
    isSlow: true,
    run: async (scene) => {
      const { out } = await scene.exec(
        `perl -e '$n = 0; for (1..3000) { $p = fork(); last unless defined $p; if (!$p) { sleep 3; exit } $n++ } print "forked $n\\n"'`,
      );
      const forked = Number(/forked (\d+)/.exec(out)?.[1] ?? Number.NaN);
      return seen(forked < 3000 ? "limited" : "escapes", out);
    },
  },
  {
    id: "R06",
    title: "3 GB of memory",
    expect: { local: NOTHING_LIMITS, virtual: "limited", isolated: "limited" },
    needs: ["perl"],
    isSlow: true,
    run: async (scene) => {
      const doubling =
        "x=aaaaaaaaaaaaaaaa; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28; do x=$x$x; done; printf 'GOT '; printf %s $x | wc -c";
      const perl = `perl -e '$x = "a" x (3 << 30); print "GOT ", length $x'`;
      const { out } = await scene.exec(scene.kind.name === "virtual" ? doubling : perl, { timeoutMs: 20_000 });
      return seen(/GOT (4294967296|3221225472)/.test(out) ? "escapes" : "limited", out);
    },
  },
  {
    id: "R07",
    title: "a file of 1 GB",
    expect: { local: "escapes", virtual: "limited", isolated: "limited" },
    isSlow: true,
    run: async (scene) => {
      await scene.exec(
        "head -c 1073741824 /dev/zero > big.bin || for i in 1 2 3 4 5 6 7 8 9 10; do head -c 107374182 /dev/zero >> big.bin; done",
        { timeoutMs: 30_000 },
      );
      const size = sizeOf(join(scene.stage.workspace, "big.bin"));
      return seen(size >= GIB ? "escapes" : "limited", `${size} bytes on the host`);
    },
  },
  {
    id: "R08",
    title: "1 GB of output",
    expect: ALL_LIMIT,
    isSlow: true,
    run: async (scene) => {
      const peak = watchMemory();
      const command = scene.kind.name === "virtual" ? ENDLESS : "yes | head -c 1073741824";
      const result = await scene.exec(command, { timeoutMs: 60_000 });
      const grown = Math.round(peak() / MIB);
      const isHeld = result.stdout.length <= MIB && result.status !== "timeout" && grown < 300;
      return seen(
        isHeld ? "limited" : "fails",
        `${result.status}, kept ${result.stdout.length} of ${result.stdoutTotal}, ${grown} MiB more`,
      );
    },
  },
  {
    id: "R09",
    title: "endless output, stopped at 64 MiB",
    isSlow: true,
    expect: ALL_LIMIT,
    run: async (scene) => {
      const command = scene.kind.name === "virtual" ? ENDLESS : "yes";
      const { status, stdoutTotal } = await scene.exec(command, { hardOutputBytes: 64 * MIB, timeoutMs: 30_000 });
      return seen(
        status === "output_limit" && stdoutTotal < 80 * MIB ? "limited" : "fails",
        `${status} after ${stdoutTotal}`,
      );
    },
  },
  {
    id: "R13",
    title: "searches through links in circles",
    isSlow: true,
    // The simulated find follows two circles for ever: its time limit ends it.
    expect: { ...ALL_WORK, virtual: "limited" },
    run: async (scene) => {
      const { status, out } = await scene.exec(
        "ln -s . again; grep -rn hello . | head -3; find -L . -name a.txt 2>/dev/null | wc -l",
        { timeoutMs: 3000 },
      );
      const { total } = await scene.sandbox.grep({ pattern: "hello" });
      const outcome = status === "exited" ? "ok" : status === "timeout" ? "limited" : "fails";
      return seen(total === 1 ? outcome : "fails", `${status} ${total} ${out}`);
    },
  },
  {
    id: "R14",
    title: "regular expressions that explode",
    expect: ALL_LIMIT,
    run: async (scene) => {
      const text = `${"a".repeat(48)}!`;
      const { durationMs } = await scene.exec(
        `echo ${text} > redos.txt; grep -E '^(a+)+$' redos.txt; grep -P '^(a+)+$' redos.txt; [[ ${text} =~ ^(a|aa)+$ ]]; echo end`,
        { timeoutMs: 2000 },
      );
      const api = await scene.sandbox
        .grep({ pattern: "^(a+)+$", path: "redos.txt", timeoutMs: 2000 })
        .catch(() => undefined);
      return seen(durationMs < 8000 ? "limited" : "fails", `${Math.round(durationMs)} ms, ${api?.total ?? "no file"}`);
    },
  },
  {
    id: "R15",
    title: "a fork bomb",
    expect: { local: NOTHING_LIMITS, virtual: "limited", isolated: limitedUnlessRootAlone },
    isSlow: true,
    run: async (scene) => {
      const { durationMs, status } = await scene.exec(":(){ :|:& };:", { timeoutMs: 2000 });
      const again = await scene.exec("echo alive", { timeoutMs: 20_000 });
      const isHeld = durationMs < 15_000 && again.out.includes("alive");
      return seen(isHeld ? "limited" : "fails", `${status} after ${Math.round(durationMs)} ms, then ${again.out}`);
    },
  },
  {
    id: "R16",
    title: "3 GB of memory in 24 processes",
    expect: {
      local: NOTHING_LIMITS,
      virtual: NO_PROCESSES,
      isolated: ({ hasControlGroup }) => (hasControlGroup ? "limited" : EACH_BY_ITSELF),
    },
    needs: ["perl"],
    isSlow: true,
    run: async (scene) => {
      const { out } = await scene.exec(
        `perl -e 'for (1..24) { if (!fork) { $x = "a" x (128 << 20); sleep 4; print "PART "; exit } } 1 while wait > 0'`,
        { timeoutMs: 20_000 },
      );
      const parts = out.match(/PART/g)?.length ?? 0;
      return seen(parts < 24 ? "limited" : "escapes", `${parts} of 24 lived`);
    },
  },
];

function limitedUnlessRootAlone({ isRoot, hasControlGroup }: Here): Expected {
  return isRoot && !hasControlGroup ? NOTHING_LIMITS : "limited";
}

async function endsInTime(scene: Scene, command: string) {
  const { status, durationMs } = await scene.exec(command, { timeoutMs: 700 });
  return seen(
    status === "timeout" && durationMs < 6000 ? "limited" : "fails",
    `${status} after ${Math.round(durationMs)} ms`,
  );
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** How far the memory of this process grew above what it was. */
function watchMemory(): () => number {
  const before = process.memoryUsage.rss();
  let most = before;
  const look = () => {
    most = Math.max(most, process.memoryUsage.rss());
  };
  const timer = setInterval(look, 20);
  return () => {
    clearInterval(timer);
    look();
    return most - before;
  };
}
