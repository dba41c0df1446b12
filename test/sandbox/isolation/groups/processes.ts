/** P: commands that want variables, processes or rights of the host. */
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { ALL_BLOCK, type Attack, notApplicable, ONLY_LOCAL_ESCAPES, type Seen } from "../attack.ts";
import { CANARIES } from "../canaries.ts";
import { withOwnProgram } from "../own-program.ts";
import { isSecret, type Scene, seen } from "../scene.ts";

const OTHERS_SEEN: Attack["expect"] = {
  ...ALL_BLOCK,
  local: ({ hasPidNamespace }) => (hasPidNamespace ? "blocked" : "escapes"),
};

export const processAttacks: Attack[] = [
  {
    id: "P01",
    title: "variables of the host",
    expect: ALL_BLOCK,
    run: (scene) =>
      scene.leak(`env; set; export -p; echo "${CANARIES.map((name) => `$${name}`).join("")}"; cat /proc/self/environ`),
  },
  {
    id: "P02",
    title: "variables of a host process",
    expect: OTHERS_SEEN,
    run: (scene) => {
      const pids = [scene.neighbours.victim().pid, process.pid, "*"];
      return scene.leak(`cat ${pids.map((pid) => `/proc/${pid}/environ`).join(" ")} 2>/dev/null | tr '\\0' '\\n'`);
    },
  },
  {
    id: "P03",
    title: "kill a host process",
    expect: OTHERS_SEEN,
    run: async (scene) => {
      const { victim, isVictimAlive, revive } = scene.neighbours;
      await scene.exec(`kill -9 ${victim().pid}; pkill -9 -f 'sleep ${scene.neighbours.victimSleep}'`);
      await new Promise((resolve) => setTimeout(resolve, 100));
      const isAlive = isVictimAlive();
      if (!isAlive) await revive();
      return seen(isAlive ? "blocked" : "escapes", isAlive ? "it lives" : "it is dead");
    },
  },
  {
    id: "P04",
    title: "see host processes",
    expect: OTHERS_SEEN,
    run: async (scene) => {
      const { out } = await scene.exec("cat /proc/*/cmdline 2>/dev/null | tr '\\0' ' '; ps axww");
      const isSeen = out.includes(scene.neighbours.victimSleep);
      return seen(isSeen ? "escapes" : "blocked", out);
    },
  },
  {
    id: "P06",
    title: "become root (su, sudo, setuid)",
    expect: {
      ...ALL_BLOCK,
      local: ({ isRoot, hasPidNamespace }) =>
        isRoot
          ? notApplicable("it is root there")
          : hasPidNamespace
            ? "blocked"
            : notApplicable("what your own user may do"),
    },
    run: async (scene) => {
      const { out } = await scene.exec(
        "su -c 'echo RO''OT' root </dev/null; sudo -n echo RO''OT; cp /bin/bash own-bash; chmod u+s own-bash; " +
          "[ $(id -u) != 0 ] && [ $(./own-bash -p -c 'id -u') = 0 ] && echo RO''OT; grep -E '^(NoNewPrivs|CapEff)' /proc/self/status",
      );
      // A name alone is no power: in a user namespace, who is called 0 may still do nothing.
      const hasPower = scene.kind.name === "isolated" && !/^CapEff:\s*0+$/m.test(out);
      return seen(/^ROOT/m.test(out) || hasPower ? "escapes" : "blocked", out);
    },
  },
  {
    id: "P07",
    title: "kill -9 -1",
    expect: {
      ...ALL_BLOCK,
      local: ({ hasPidNamespace }) => (hasPidNamespace ? "blocked" : notApplicable("it would kill all that is yours")),
    },
    run: async (scene) => {
      await scene.exec("kill -9 -1; echo after");
      const again = await scene.exec("echo alive");
      const isFine = scene.neighbours.isVictimAlive() && again.out.includes("alive");
      return seen(isFine ? "blocked" : "escapes", again.out);
    },
  },
  {
    id: "P08",
    title: "a canary, on every way in",
    expect: ALL_BLOCK,
    run: everyWayToACommand,
  },
  {
    id: "P09",
    title: "BASH_ENV, NODE_OPTIONS, LD_PRELOAD",
    expect: ALL_BLOCK,
    run: async (scene) => {
      const { secret } = scene.stage;
      const hostile = {
        BASH_ENV: `${secret}/evil.sh`,
        ENV: `${secret}/evil.sh`,
        PROMPT_COMMAND: `. ${secret}/evil.sh`,
        LD_LIBRARY_PATH: secret,
      };
      const before = { ...process.env };
      Object.assign(process.env, hostile);
      try {
        await scene.reopen();
        return await scene.leak(
          "echo hi; bash -c 'echo hi'; sh -c 'echo hi'; env | grep -E 'BASH_ENV|PROMPT_COMMAND|LD_LIBRARY_PATH' | sed 's/^/HOSTSECRET /'",
        );
      } finally {
        for (const name of Object.keys(hostile)) {
          if (before[name] === undefined) delete process.env[name];
          else process.env[name] = before[name];
        }
        await scene.reopen();
      }
    },
  },
  {
    id: "P10",
    title: "files that were left open",
    isSlow: true,
    expect: ONLY_LOCAL_ESCAPES,
    run: readWhatWasLeftOpen,
  },
  {
    id: "P11",
    title: "a start-up file for its next run",
    expect: ALL_BLOCK,
    run: async (scene) => {
      const env = { HOME: scene.sandbox.cwd };
      await scene.exec("for f in .bashrc .bash_profile .profile; do echo 'echo SOURCED' >> ~/$f; done", { env });
      const { out } = await scene.exec("echo hi", { env });
      return seen(out.includes("SOURCED") ? "escapes" : "blocked", out);
    },
  },
];

/** Shell and program, exec and start, with and without an environment of their own. */
async function everyWayToACommand(scene: Scene) {
  const { sandbox } = scene;
  const outs = [
    (await scene.exec("env")).out,
    (await scene.exec(["env"])).out,
    (await scene.exec("env", { env: { MINE: "1" }, cwd: "src" })).out,
    (await scene.exec("bash -lc env; bash -ic env; sh -c env", { stdin: new Uint8Array() })).out,
    (await scene.exec("env -0 | tr '\\0' '\\n'; cat /proc/self/environ /proc/$PPID/environ | tr '\\0' '\\n'")).out,
  ];
  if (sandbox.capabilities.background) {
    const handle = await sandbox.start("env");
    const { stdout } = await handle.result;
    outs.push(new TextDecoder().decode(stdout));
  }
  const leaked = CANARIES.filter((name) => outs.some((out) => out.includes(name)));
  return seen(leaked.length > 0 ? "escapes" : "blocked", leaked.join(" ") || "none of them");
}

/** A program that was started with a secret file open, as a shell does with `5<file`, opens the sandbox. */
async function readWhatWasLeftOpen(scene: Scene): Promise<Seen> {
  const openFile = openSync(join(scene.stage.secret, "host-secret.txt"), "r");
  const command = "cat /proc/self/fd/60; for fd in /proc/self/fd/*; do timeout 1 cat < $fd; done";
  const body = `
    const result = await sandbox.exec(${JSON.stringify(command)}, { timeoutMs: 8000 });
    console.log("OUT " + new TextDecoder().decode(result.combined));`;
  try {
    return await withOwnProgram(scene, { body, openFile }, async (program, said) => {
      await once(program, "close");
      if (!said().includes("OUT ")) return seen("fails", said());
      return seen(isSecret(said()) ? "escapes" : "blocked", said());
    });
  } finally {
    closeSync(openFile);
  }
}
