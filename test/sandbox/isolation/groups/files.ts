import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ALL_BLOCK, type Attack, notApplicable, ONLY_LOCAL_ESCAPES, type Seen } from "../attack.ts";
import { type Scene, seen } from "../scene.ts";
import { newName } from "../stage.ts";

export const fileAttacks: Attack[] = [
  {
    id: "F01",
    title: "read /etc/shadow",
    expect: { ...ALL_BLOCK, local: ({ isRoot }) => (isRoot ? "escapes" : "blocked") },
    run: (scene) => scene.leak("cat /etc/shadow"),
  },
  {
    id: "F02",
    title: "read by ../",
    expect: ONLY_LOCAL_ESCAPES,
    run: (scene) => scene.leak(`cat ../secret/host-secret.txt; cat ${up(scene)}/host-secret.txt`),
  },
  {
    id: "F03",
    title: "read by an absolute path",
    expect: ONLY_LOCAL_ESCAPES,
    run: (scene) => scene.leak(`cat ${scene.stage.secret}/host-secret.txt; grep -r . ${scene.stage.base}`),
  },
  {
    id: "F04",
    title: "symlink that was there",
    expect: ONLY_LOCAL_ESCAPES,
    run: (scene) =>
      scene.leak("cat link-out/host-secret.txt; cat link-shadow; ls -lR link-out/; cp -rL link-out got; cat got/*"),
  },
  {
    id: "F05",
    title: "symlink of its own, also to /",
    expect: ONLY_LOCAL_ESCAPES,
    run: (scene) => {
      const { secret } = scene.stage;
      return scene.leak(
        `ln -sfn ${secret} own; cat own/host-secret.txt; ln -sfn / root; cat root${secret}/host-secret.txt`,
      );
    },
  },
  {
    id: "F06",
    title: "hard link to a file outside",
    expect: ONLY_LOCAL_ESCAPES,
    run: (scene) =>
      scene.leak(`ln ${scene.stage.secret}/host-secret.txt hard; cat hard; ln -L link-out/host-secret.txt h2; cat h2`),
  },
  {
    id: "F07",
    title: "/proc/self/root, /proc/self/cwd",
    expect: ONLY_LOCAL_ESCAPES,
    run: (scene) =>
      scene.leak(
        `cat /proc/self/root${scene.stage.secret}/host-secret.txt; cat /proc/self/cwd/../secret/host-secret.txt`,
      ),
  },
  {
    id: "F08",
    title: "/proc/<host pid>/root, /proc/1",
    expect: ONLY_LOCAL_ESCAPES,
    run: (scene) => {
      const { stage, neighbours } = scene;
      const pids = [neighbours.victim().pid, process.pid, process.ppid, 1, "*"];
      return scene.leak(pids.map((pid) => `cat /proc/${pid}/root${stage.secret}/host-secret.txt`).join("; "));
    },
  },
  {
    id: "F09",
    title: "keys in the user's home",
    expect: ONLY_LOCAL_ESCAPES,
    run: (scene) =>
      scene.leak(
        `cat ${scene.stage.home}/.ssh/id_rsa; cat ~/../home/.ssh/id_rsa; find ${scene.stage.base} -name id_rsa -exec cat {} +`,
      ),
  },
  {
    id: "F10",
    title: "write ../, absolute, system files",
    expect: ONLY_LOCAL_ESCAPES,
    run: writeOutside,
  },
  {
    id: "F11",
    title: "write through a symlink",
    expect: ONLY_LOCAL_ESCAPES,
    run: async (scene) => {
      const { secret } = scene.stage;
      await scene.exec(
        `echo p > link-out/w1; cp src/a.txt link-out/w2; ln -sfn ${secret}/w3 dangling; echo p > dangling; echo p | tee link-out/w4; mv src/a.txt link-out/w5`,
      );
      return presence(["w1", "w2", "w3", "w4", "w5"].map((name) => join(secret, name)));
    },
  },
  {
    id: "F14",
    title: "settings of the kernel",
    expect: { ...ALL_BLOCK, local: ({ isRoot }) => (isRoot ? notApplicable("root may do that anyway") : "blocked") },
    run: kernelSettings,
  },
  {
    id: "F19",
    title: "disks, memory and logs in /dev",
    expect: { ...ALL_BLOCK, local: ({ isRoot }) => (isRoot ? "escapes" : "blocked") },
    run: async (scene) => {
      const opened =
        "for d in /dev/vda /dev/sda /dev/nvme0n1 /dev/mem /dev/kmsg /dev/kvm /dev/fuse /dev/net/tun /proc/kcore; do (exec 9<$d) 2>/dev/null && echo OPENED $d; done; " +
        "mknod own-disk b 254 0 && (exec 9<own-disk) 2>/dev/null && echo OPENED own-disk";
      const { out } = await scene.exec(opened);
      rmSync(join(scene.stage.workspace, "own-disk"), { force: true });
      return seen(out.includes("OPENED") ? "escapes" : "blocked", out);
    },
  },
];

/** Up to the root of the file system, and down again. */
function up({ stage }: Scene): string {
  return "../".repeat(30) + stage.secret.slice(1);
}

async function writeOutside(scene: Scene): Promise<Seen> {
  const { secret, home } = scene.stage;
  const name = newName("haft-planted");
  const own = [`${secret}/${name}`, `../secret/${name}2`, `${home}/.bashrc`];
  // Where it would succeed, the places of the system are left alone: they are not ours.
  const system =
    scene.kind.name === "local"
      ? []
      : ["/", "/usr/local/bin/", "/etc/cron.d/", "/var/tmp/"].map((folder) => folder + name);
  const ran = await scene.exec([...own, ...system].map((path) => `echo ${name} >> ${path}`).join("; "));
  const written = [`${secret}/${name}`, `${secret}/${name}2`, ...system].filter((path) => existsSync(path));
  if (readFileSync(`${home}/.bashrc`, "utf8").includes(name)) written.push(`${home}/.bashrc`);
  for (const path of system) rmSync(path, { force: true });
  return seen(written.length > 0 ? "escapes" : "blocked", written.join(" ") || ran.out);
}

function presence(paths: string[]): Seen {
  const there = paths.filter((path) => existsSync(path));
  return seen(there.length > 0 ? "escapes" : "blocked", there.join(" ") || "nothing was written");
}

/** Each is opened for writing, and written with the value that it has. */
async function kernelSettings(scene: Scene): Promise<Seen> {
  const { out } = await scene.exec(
    'c=/proc/sys/kernel/core_pattern; v=$(cat $c) && [ -n "$v" ] && echo "$v" > $c && echo WROTE $c; ' +
      "for f in /proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /proc/sys/vm/drop_caches /proc/sysrq-trigger " +
      "/sys/kernel/uevent_helper /sys/kernel/mm/ksm/run /sys/fs/cgroup/memory/release_agent; " +
      'do [ -w $f ] && (exec 9>>$f) 2>/dev/null && echo "OPENED $f"; done',
  );
  return seen(/WROTE|OPENED/.test(out) ? "escapes" : "blocked", out);
}
