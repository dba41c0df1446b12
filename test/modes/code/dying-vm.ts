/** A real VM, but for its death after some turns. */
import type { ProgramVm, Turn } from "../../../src/core/program.ts";

/** `deaths`: numbers of turns, from 1, of all its sessions together. */
export function dyingVm(vm: ProgramVm, deaths: readonly number[]): ProgramVm {
  let turns = 0;
  const dying = async (turn: Promise<Turn>): Promise<Turn> => {
    const whole = await turn;
    const lost = { type: "lost", message: "it died" } as const;
    return deaths.includes(++turns) ? { calls: [], timers: [], prints: [], done: lost } : whole;
  };
  return {
    async open(options) {
      const session = await vm.open(options);
      return {
        start: (input) => dying(session.start(input)),
        settle: (settlements, more) => dying(session.settle(settlements, more)),
        leave: () => session.leave(),
        abort: () => session.abort(),
        close: () => session.close(),
      };
    },
    close: () => vm.close(),
  };
}
