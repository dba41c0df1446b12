/** A: paths given to the file API that want to lead out of the sandbox. */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { HaftError } from "../../../../src/base/errors.ts";
import type { Sandbox } from "../../../../src/core/sandbox.ts";
import { ALL_BLOCK, ALL_LIMIT, ALL_WORK, type Attack, ONLY_LOCAL_ESCAPES, type Seen } from "../attack.ts";
import { bytes, describeError, isSecret, type Scene, seen, text } from "../scene.ts";

export const apiAttacks: Attack[] = [
  {
    id: "A01",
    title: "API: read by ../",
    expect: ALL_BLOCK,
    run: (scene) =>
      everyWay(scene, [
        "../secret/host-secret.txt",
        `${"../".repeat(40)}${scene.stage.secret.slice(1)}/host-secret.txt`,
      ]),
  },
  {
    id: "A02",
    title: "API: read by an absolute path",
    expect: ALL_BLOCK,
    run: (scene) =>
      everyWay(scene, [
        `${scene.stage.secret}/host-secret.txt`,
        `/${scene.stage.secret}/./host-secret.txt`,
        "/etc/shadow",
      ]),
  },
  {
    id: "A03",
    title: "API: read through a symlink",
    expect: ALL_BLOCK,
    run: async (scene) => {
      await scene.exec(`ln -s ${scene.stage.secret} mine; ln -s mine chain; ln -s / root`);
      const deep = `root${scene.stage.secret}/host-secret.txt`;
      return everyWay(scene, [
        "link-out/host-secret.txt",
        "mine/host-secret.txt",
        "chain/host-secret.txt",
        "link-shadow",
        deep,
      ]);
    },
  },
  {
    id: "A04",
    title: "API: read by /proc/self/root",
    expect: ALL_BLOCK,
    run: (scene) => {
      const file = `${scene.stage.secret}/host-secret.txt`;
      return everyWay(scene, [
        `/proc/self/root${file}`,
        `/proc/${process.pid}/root${file}`,
        "/proc/self/cwd/../secret/host-secret.txt",
      ]);
    },
  },
  {
    id: "A05",
    title: "API: read /proc/self/environ",
    expect: ALL_BLOCK,
    run: (scene) =>
      everyWay(scene, [
        "/proc/self/environ",
        `/proc/${process.pid}/environ`,
        `/proc/${scene.neighbours.victim().pid}/environ`,
      ]),
  },
  {
    id: "A06",
    title: "API: write, move, remove by a link",
    expect: ALL_BLOCK,
    run: async (scene) => {
      const { sandbox, stage } = scene;
      await scene.exec(`ln -s ${stage.secret}/planted dangling`);
      const refusals = await Promise.all([
        refusal(sandbox.writeFile("link-out/planted", bytes("x"))),
        refusal(sandbox.writeFile("dangling", bytes("x"))),
        refusal(sandbox.mkdir("link-out/folder")),
        refusal(sandbox.rename("src/a.txt", "link-out/moved")),
        refusal(sandbox.rename("link-out/host-secret.txt", "stolen.txt")),
        refusal(sandbox.remove("link-out/host-secret.txt")),
        refusal(sandbox.remove("link-out/", { recursive: true })),
      ]);
      const isStolen = isSecret(await sandbox.readFile("stolen.txt").then(text, () => ""));
      // What was written, moved or removed outside is seen in the host's hash, after every attack.
      return seen(isStolen ? "escapes" : "blocked", refusals.join(" "));
    },
  },
  {
    id: "A07",
    title: "API: a NUL byte in a path",
    expect: ALL_BLOCK,
    run: async ({ sandbox }) => {
      const calls = [
        sandbox.readFile("src/a.txt\0/../../secret"),
        sandbox.writeFile("src/b.txt\0.png", bytes("x")),
        sandbox.list("src\0"),
      ];
      const answers = await Promise.all(calls.map(refusal));
      return seen(answers.every((answer) => answer === "EINVAL") ? "blocked" : "fails", answers.join(" "));
    },
  },
  {
    id: "A08",
    title: "API: 5,000 and 100,000 byte paths",
    expect: ALL_BLOCK,
    run: async ({ sandbox }) => {
      const long = [5000, 100_000].flatMap((size) => [
        `${"a/".repeat(size / 2)}x`,
        "b".repeat(size),
        `${"../".repeat(size / 3)}etc`,
      ]);
      const longestWait = blockedTime();
      const answers = await Promise.all(
        long.flatMap((path) => [refusal(sandbox.readFile(path)), refusal(sandbox.writeFile(path, bytes("x")))]),
      );
      const lag = longestWait();
      const isFine = answers.every((answer) => /^[A-Z]+$/.test(answer)) && lag < 2000;
      return seen(
        isFine ? "blocked" : "fails",
        `${[...new Set(answers)].join(" ")}, blocked for ${Math.round(lag)} ms`,
      );
    },
  },
  {
    id: "A09",
    title: "API: strange names are kept",
    expect: ALL_WORK,
    run: async ({ sandbox }) => {
      const names = [
        "a\nb",
        "-rf",
        "q'u\"o$(id)`",
        "g*?[x]",
        "caf\u00e9",
        "cafe\u0301",
        "tail ",
        "\u202ertl",
        ".hidden",
        "x\\y",
        "-",
      ];
      for (const name of names) await sandbox.writeFile(`odd/${name}`, bytes(name));
      const wrong: string[] = [];
      for (const name of names) if (text(await sandbox.readFile(`odd/${name}`)) !== name) wrong.push(name);
      const listed = (await sandbox.list("odd")).map(({ name }) => name);
      const lost = names.filter((name) => !listed.includes(name));
      return seen(wrong.length + lost.length === 0 ? "ok" : "fails", JSON.stringify({ wrong, lost }));
    },
  },
  {
    id: "A10",
    title: "API: all 256 bytes are kept",
    expect: ALL_WORK,
    run: async ({ sandbox }) => {
      const all = Uint8Array.from({ length: 256 }, (_, index) => index);
      await sandbox.writeFile("all.bin", all);
      const read = Buffer.from(await sandbox.readFile("all.bin"));
      return seen(read.equals(all) ? "ok" : "fails", `${read.length} bytes came back`);
    },
  },
  {
    id: "A11",
    title: "API: a pipe, a device, a folder",
    expect: ALL_BLOCK,
    run: async (scene) => {
      await scene.exec("mkfifo pipe; ln -s /dev/zero zero");
      const calls = ["src", "pipe", "zero", "/dev/zero", "docker.sock"].map((path) =>
        refusal(scene.sandbox.readFile(path)),
      );
      const answers = await Promise.race([Promise.all(calls), later(10_000)]);
      rmSync(join(scene.stage.workspace, "pipe"), { force: true });
      return seen(
        answers?.every((answer) => /^E[A-Z]+$/.test(answer)) ? "blocked" : "fails",
        answers?.join(" ") ?? "hangs",
      );
    },
  },
  {
    id: "A13",
    title: "API: a cwd that leads out",
    expect: ALL_BLOCK,
    run: async (scene) => {
      const { secret } = scene.stage;
      const folders = [
        "../secret",
        "link-out",
        secret,
        "/",
        "/etc",
        `; touch ${secret}/injected`,
        `$(touch ${secret}/injected)`,
        "src\0",
      ];
      const outs: string[] = [];
      for (const cwd of folders)
        outs.push(
          await scene
            .exec("pwd; ls -a; cat host-secret.txt", { cwd })
            .then(({ out, error }) => error ?? out, describeError),
        );
      const isOut =
        outs.some((out) => isSecret(out) || out.includes("host-secret.txt\n")) || existsSync(join(secret, "injected"));
      return seen(isOut ? "escapes" : "blocked", outs.join(" | "));
    },
  },
  {
    id: "A15",
    title: "API: write a protected file",
    expect: ONLY_LOCAL_ESCAPES,
    run: async ({ sandbox, stage }) => {
      const answers = [
        await refusal(sandbox.writeFile(".git/hooks/pre-commit", bytes("evil"))),
        await refusal(sandbox.writeFile(".git/config", bytes("evil"))),
        await refusal(sandbox.writeFile(".bashrc", bytes("evil"))),
        await refusal(sandbox.writeFile("loop/./.git/hooks/post-merge", bytes("evil"))),
        await refusal(sandbox.rename(".git", ".git2")),
        await refusal(sandbox.writeFile(".git/hooks/pre-push", bytes("evil"))),
        await refusal(sandbox.remove(".git/hooks", { recursive: true })),
        await refusal(sandbox.writeFile(".envrc", bytes("evil"))),
      ];
      const paths = [
        ".git/hooks/pre-commit",
        ".git/config",
        ".bashrc",
        ".git/hooks/post-merge",
        ".git/hooks/pre-push",
        ".envrc",
      ];
      const evil = paths.filter((path) => stage.hostText(path)?.includes("evil"));
      const isGone = stage.hostText(".git/hooks/pre-commit") === undefined;
      return seen(evil.length > 0 || isGone ? "escapes" : "blocked", `${answers.join(" ")} ${evil.join(" ")}`);
    },
  },
  {
    id: "A16",
    title: "API: a set-user-id mode",
    expect: ONLY_LOCAL_ESCAPES,
    run: async (scene) => {
      const answer = await refusal(scene.sandbox.writeFile("suid", bytes("#!/bin/sh\n"), { mode: 0o6755 }));
      const { out } = await scene.exec("ls -l suid");
      return seen(/^-..s|^-.....s/m.test(out) ? "escapes" : "blocked", `${answer} ${out}`);
    },
  },
  {
    id: "A17",
    title: "API: folders 3,000 deep",
    expect: ALL_LIMIT,
    isSlow: true,
    run: async (scene) => {
      const { sandbox } = scene;
      const making = scene.kind.name === "virtual" ? "while mkdir d && cd d; do :; done" : DEEP;
      await scene.exec(making, { timeoutMs: 5000 });
      const longestWait = blockedTime();
      const started = performance.now();
      await sandbox.grep({ pattern: "x", timeoutMs: 2000 }).catch(() => {});
      await sandbox.list("d/d/d/d");
      const removed = await refusal(sandbox.remove("d", { recursive: true }));
      const took = Math.round(performance.now() - started);
      const lag = longestWait();
      const { out } = await scene.exec("echo alive");
      const isHeld = out === "alive\n" && took < 15_000 && lag < 2000;
      return seen(isHeld ? "limited" : "fails", `${took} ms, blocked for ${Math.round(lag)} ms, remove: ${removed}`);
    },
  },
];

const DEEP = `perl -e 'for (1..3000) { mkdir "d" or last; chdir "d" }'`;

/** The call's error code, or "done" when there was none. */
async function refusal(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "done";
  } catch (error) {
    return HaftError.is(error) ? error.code : describeError(error);
  }
}

/** Read, look at, list and search: none may answer with something of the host. */
async function everyWay(scene: Scene, paths: string[]): Promise<Seen> {
  const details: string[] = [];
  for (const path of paths) {
    const folder = path.slice(0, path.lastIndexOf("/")) || path;
    const ways: ((sandbox: Sandbox) => Promise<unknown>)[] = [
      (sandbox) => sandbox.readFile(path),
      (sandbox) => sandbox.readFile(path, { offset: 0, length: 100 }),
      (sandbox) => sandbox.grep({ pattern: ".", path }),
      (sandbox) => sandbox.grep({ pattern: ".", path: folder }),
      async (sandbox) =>
        (await sandbox.list(folder)).map(({ name }) => (name === "host-secret.txt" ? "HOSTSECRET" : name)),
    ];
    for (const way of ways) {
      const answer = await scene.ask(way);
      if (answer.outcome !== "blocked") return seen(answer.outcome, `${path}: ${answer.detail}`);
      details.push(answer.detail);
    }
  }
  return seen("blocked", [...new Set(details.map((detail) => detail.split(" ")[0]))].join(" "));
}

/** Starts to measure; the function that comes back tells the longest time that this thread was held up. */
function blockedTime(): () => number {
  let longest = 0;
  let last = performance.now();
  const look = () => {
    longest = Math.max(longest, performance.now() - last - 5);
    last = performance.now();
  };
  const timer = setInterval(look, 5);
  return () => {
    clearInterval(timer);
    look();
    return longest;
  };
}

function later(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), ms).unref());
}
