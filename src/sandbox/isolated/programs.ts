/** The programs of the machine that an isolated sandbox is built with. */
import { findProgram } from "../process/find-program.ts";

/** Never the PATH: a folder of a project may stand on it (node_modules/.bin), and an agent may write there. */
const SYSTEM_PATH = "/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin";

export interface Programs {
  bwrap: string;
  bash: string;
  /** Where it is there, commands start sooner. */
  dash: string | undefined;
  /** Only needed where another user than root runs the commands of a program of root, and for egress. */
  setpriv: string | undefined;
  /** Only needed for egress. */
  nsenter: string | undefined;
  socat: string | undefined;
}

export type FoundPrograms = { [Name in keyof Programs]: string | undefined };

export async function findPrograms(path = SYSTEM_PATH): Promise<FoundPrograms> {
  const find = (name: string) => findProgram(name, "/", path);
  const [bwrap, bash, dash, setpriv, nsenter, socat] = await Promise.all(
    ["bwrap", "bash", "dash", "setpriv", "nsenter", "socat"].map(find),
  );
  return { bwrap, bash, dash, setpriv, nsenter, socat };
}
