/** A: paths, names and kinds of files that a careless file API would hang on, fall over or lose. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { ALL_BLOCK, ALL_LIMIT, ALL_WORK, type Attack } from "../attack.ts";
import { bytes, refusal, seen, text } from "../scene.ts";

export const oddPathAttacks: Attack[] = [
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
    id: "A17",
    title: "API: folders 500 deep",
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
      const isHeld = out === "alive\n" && took < 40_000 && lag < HOST_LAG_MS;
      return seen(isHeld ? "limited" : "fails", `${took} ms, blocked for ${Math.round(lag)} ms, remove: ${removed}`);
    },
  },
];

/** Generous, because the machine has more to do. */
const HOST_LAG_MS = 4000;
const DEEP = `perl -e 'for (1..500) { mkdir "d" or last; chdir "d" }'`;

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
