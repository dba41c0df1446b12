/** A: paths given to the file API that want to lead out of the sandbox. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Sandbox } from "../../../../src/core/sandbox.ts";
import { ALL_BLOCK, type Attack, ONLY_LOCAL_ESCAPES, type Seen } from "../attack.ts";
import { bytes, describeError, isSecret, refusal, type Scene, seen, text } from "../scene.ts";

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
    expect: ALL_BLOCK,
    run: async (scene) => {
      const answer = await refusal(scene.sandbox.writeFile("suid", bytes("#!/bin/sh\n"), { mode: 0o6755 }));
      const { out } = await scene.exec("ls -l suid");
      return seen(/^-..s|^-.....s/m.test(out) ? "escapes" : "blocked", `${answer} ${out}`);
    },
  },
];

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
