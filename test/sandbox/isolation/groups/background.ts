/** B: commands that want to be still there when they have ended. */
import { once } from "node:events";
import { sleepers, uniqueSleep } from "../../../helpers/sleepers.ts";
import { type Attack, type Here, NO_PROCESSES, type Outcome, type Seen } from "../attack.ts";
import { withOwnProgram } from "../own-program.ts";
import { eventually, type Scene, seen } from "../scene.ts";

const ALL_DIE: Attack["expect"] = { local: "killed", virtual: NO_PROCESSES, isolated: "killed" };

/** A marker in the environment is all that a process group has, once it is left. */
const DIES_IN_NAMESPACE: Attack["expect"] = {
  ...ALL_DIE,
  local: ({ hasPidNamespace }: Here): Outcome => (hasPidNamespace ? "killed" : "escapes"),
};

interface Survivor extends Pick<Attack, "id" | "title" | "expect" | "isSlow"> {
  command(sleep: string): string;
  timeoutMs?: number;
}

const survivors: Survivor[] = [
  { id: "B01", title: "cmd &", expect: ALL_DIE, command: (sleep) => `${sleep} & echo started` },
  { id: "B02", title: "nohup", expect: ALL_DIE, command: (sleep) => `nohup ${sleep} >/dev/null 2>&1 & echo started` },
  {
    id: "B03",
    title: "setsid",
    expect: ALL_DIE,
    command: (sleep) => `setsid ${sleep} >/dev/null 2>&1 & sleep 0.2; echo started`,
  },
  {
    id: "B04",
    title: "double fork and setsid",
    expect: ALL_DIE,
    command: (sleep) => `( ( setsid ${sleep} >/dev/null 2>&1 & ) & ); sleep 0.2; echo started`,
  },
  {
    id: "B05",
    title: "setsid, environment emptied",
    expect: DIES_IN_NAMESPACE,
    command: (sleep) => `env -i setsid ${sleep} >/dev/null 2>&1 & sleep 0.2; echo started`,
  },
  {
    id: "B06",
    title: "timeout with a setsid child",
    isSlow: true,
    expect: ALL_DIE,
    command: (sleep) => `setsid ${sleep} & sleep 100`,
    timeoutMs: 800,
  },
  {
    id: "B07",
    title: "the same, emptied, SIGTERM ignored",
    expect: DIES_IN_NAMESPACE,
    command: (sleep) => `env -i setsid bash -c "trap '' TERM HUP; ${sleep}; ${sleep}" & sleep 100`,
    timeoutMs: 800,
  },
];

export const backgroundAttacks: Attack[] = [
  ...survivors.map(
    ({ command, timeoutMs, ...attack }): Attack => ({
      ...attack,
      needs: ["setsid"],
      run: async (scene) => {
        const seconds = uniqueSleep();
        const { status, out } = await scene.exec(command(`sleep ${seconds}`), { timeoutMs });
        return afterwards(seconds, `${status} ${out}`);
      },
    }),
  ),
  {
    id: "B08",
    title: "a command that was started",
    expect: ALL_DIE,
    run: async (scene) => {
      const seconds = uniqueSleep();
      const handle = await scene.sandbox.start(`setsid sleep ${seconds} & sleep ${seconds}`);
      if (!(await eventually(() => sleepers(seconds).length === 2))) return seen("fails", "it did not start");
      await handle.kill();
      const { status } = await handle.result;
      return afterwards(seconds, status);
    },
  },
  {
    id: "B09",
    title: "dispose()",
    expect: ALL_DIE,
    run: async (scene) => {
      const seconds = uniqueSleep();
      const handle = await scene.sandbox.start(`setsid sleep ${seconds} & sleep ${seconds}`);
      if (!(await eventually(() => sleepers(seconds).length === 2))) return seen("fails", "it did not start");
      await scene.reopen();
      const { status } = await handle.result;
      return afterwards(seconds, status);
    },
  },
  {
    id: "B10",
    title: "kill -9 of the program around it",
    isSlow: true,
    expect: ALL_DIE,
    run: killTheProgram,
  },
];

function afterwards(seconds: string, detail: string) {
  const left = sleepers(seconds);
  for (const pid of left) process.kill(pid, "SIGKILL");
  return seen(left.length > 0 ? "escapes" : "killed", `${left.length} left; ${detail}`);
}

/** The same sandbox, opened by a program of its own, which is killed while a command runs. */
function killTheProgram(scene: Scene): Promise<Seen> {
  const seconds = uniqueSleep();
  const body = `await sandbox.exec("setsid sleep ${seconds} & sleep ${seconds}; true");`;
  return withOwnProgram(scene, { body }, async (program, said) => {
    await eventually(() => sleepers(seconds).length === 2 || program.exitCode !== null);
    if (program.exitCode !== null) return seen("fails", `it did not start: ${said()}`);
    program.kill("SIGKILL");
    await once(program, "exit");
    await eventually(() => sleepers(seconds).length === 0);
    return afterwards(seconds, "the program was killed");
  });
}
