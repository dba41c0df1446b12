/** R: what goes in and comes out of a command is what was written, and its input ends. */
import { ALL_WORK, type Attack, notApplicable } from "../attack.ts";
import { seen } from "../scene.ts";

const TEXT_ONLY = notApplicable("output is text there");

export const streamAttacks: Attack[] = [
  {
    id: "R10",
    title: "bytes of output are exact",
    expect: { ...ALL_WORK, virtual: TEXT_ONLY },
    run: async (scene) => {
      const { stdout } = await scene.exec("printf '\\x00\\x01\\x7f\\x80\\xff\\xfe\\xc3\\x28\\n'");
      const hex = Buffer.from(stdout).toString("hex");
      return seen(hex === "00017f80fffec3280a" ? "ok" : "fails", hex);
    },
  },
  {
    id: "R11",
    title: "input is closed",
    expect: ALL_WORK,
    run: async (scene) => {
      const { status, out } = await scene.exec("cat; read x; echo done:$?", { timeoutMs: 5000 });
      return seen(status === "exited" && out === "done:1\n" ? "ok" : "fails", `${status} ${out}`);
    },
  },
  {
    id: "R12",
    title: "bytes of input are exact",
    expect: { ...ALL_WORK, virtual: TEXT_ONLY },
    run: async (scene) => {
      const bytes = Buffer.from([0, 1, 255, 254, 10, 65]);
      const { stdout } = await scene.exec("cat", { stdin: bytes });
      return seen(Buffer.from(stdout).equals(bytes) ? "ok" : "fails", Buffer.from(stdout).toString("hex"));
    },
  },
];
