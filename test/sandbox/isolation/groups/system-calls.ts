/** P: a program that asks the kernel for everything that a sandbox must not give. */
import { ALL_BLOCK, type Attack, notApplicable } from "../attack.ts";
import { probeAnswer, probeArguments } from "../probe.ts";
import { quoted, seen } from "../scene.ts";
import { SOCKET_NAME } from "../stage.ts";

export const systemCallAttacks: Attack[] = [
  {
    id: "P05",
    title: "53 dangerous system calls",
    expect: { ...ALL_BLOCK, local: notApplicable("it asks the host's own kernel, as you may anyway") },
    needs: ["./probe"],
    run: async (scene) => {
      const { neighbours } = scene;
      const words = probeArguments(neighbours.victim().pid, SOCKET_NAME, neighbours.abstractSocket);
      const { out, exitCode } = await scene.exec(`./probe ${words.map(quoted).join(" ")}`);
      const answer = probeAnswer(out);
      if (answer)
        return seen(
          answer.allowed.length > 0 ? "escapes" : "blocked",
          `of ${answer.asked} allowed: ${answer.allowed.join(" ") || "none"}`,
        );
      return seen(scene.sandbox.capabilities.realProcesses ? "fails" : "blocked", `${exitCode} ${out}`);
    },
  },
];
