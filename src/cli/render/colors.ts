/** Whether there is colour, decided once: NO_COLOR, then FORCE_COLOR, then whether a terminal is there. */
import pico from "picocolors";

export type Colors = ReturnType<typeof pico.createColors>;

type Env = Record<string, string | undefined>;

/** The library's own guess also says yes to any CI, where output is a file. */
export function colorsFor(stream: { isTTY?: boolean }, env: Env = process.env): Colors {
  return pico.createColors(wantsColor(stream, env));
}

function wantsColor({ isTTY }: { isTTY?: boolean }, env: Env): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== "0" && env.FORCE_COLOR !== "false";
  return isTTY === true && env.TERM !== "dumb";
}
