/** C: calculations that never end. The time limit ends them, and the host goes on. */
import { ALL_LIMIT, type Attack, NO_PROGRAMS, NOTHING_LIMITS } from "../attack.ts";
import { seen } from "../scene.ts";

/** How long the host's own thread may be held up meanwhile; generous, because the machine has more to do. */
const HOST_LAG_MS = 1500;

interface Bomb extends Pick<Attack, "id" | "title" | "needs"> {
  command: string;
  expect?: Partial<Attack["expect"]>;
}

const bombs: Bomb[] = [
  { id: "C01", title: "awk for (;;)", command: "awk 'BEGIN { for (;;) {} }'", needs: ["awk"] },
  {
    id: "C02",
    title: "python while True",
    command: "exec python3 -c 'while True: pass'",
    needs: ["python3"],
    expect: { virtual: NO_PROGRAMS },
  },
  {
    id: "C03",
    title: "node for (;;)",
    command: "exec node -e 'for (;;);'",
    needs: ["node"],
    expect: { virtual: NO_PROGRAMS },
  },
  { id: "C04", title: "jq recursion", command: "echo 1 | jq 'def f: f; f'", needs: ["jq"] },
  { id: "C05", title: "brace expansion", command: "echo {1..99999999} | wc -c", expect: { local: NOTHING_LIMITS } },
  { id: "C06", title: "printf of a gigabyte", command: "printf '%1000000000s' x | wc -c" },
  { id: "C07", title: "sort of five million lines", command: "seq 1 5000000 | sort | tail -1" },
  { id: "C08", title: "f() { f; }; f", command: "ulimit -s 4096 2>/dev/null; f() { f; }; f" },
  { id: "C09", title: "a sed loop", command: "echo x | sed ':a;ba'" },
];

export const bombAttacks: Attack[] = bombs.map(({ command, expect, ...bomb }) => ({
  ...bomb,
  expect: { ...ALL_LIMIT, ...expect },
  isSlow: true,
  run: async (scene) => {
    let lag = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      lag = Math.max(lag, performance.now() - last - 5);
      last = performance.now();
    }, 5);
    const { status, durationMs } = await scene.exec(command, { timeoutMs: 1000 });
    clearInterval(timer);
    const again = await scene.exec("echo alive", { timeoutMs: 20_000 });
    const isHeld = durationMs < 8000 && lag < HOST_LAG_MS && again.out.includes("alive");
    return seen(
      isHeld ? "limited" : "fails",
      `${status} after ${Math.round(durationMs)} ms, host held up ${Math.round(lag)} ms`,
    );
  },
}));
