/**
 * What the isolated sandbox adds to bubblewrap: `echo hi` through its public door, beside a bare `bwrap` with the same flags, which
 * are read off a command of the sandbox. They take turns, so that noise hits both alike.
 *
 *   npm run bench -- --isolated
 */
import childProcess, { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const AIM = 1.5;
const { spawn } = childProcess;

export async function benchIsolated({ rounds = 60 } = {}) {
  const starts = watchSpawn();
  const { isolated, isolatedProvider } = await import("../dist/sandbox/index.js");
  const { ok, problems } = await isolatedProvider().check();
  if (!ok) return console.log(`isolated echo: left out, ${problems.join(" ")}`);
  const [cwd, bareCwd] = [repository(), repository()];
  const sandbox = await isolated({ cwd });
  starts.length = 0;
  await sandbox.exec("true");
  const bare = bareStart(starts[0], cwd, bareCwd);
  const samples = { isolated: [], bare: [] };
  try {
    for (let round = -5; round < rounds; round++) {
      const turns = [
        ["isolated", async () => check((await sandbox.exec("echo hi")).stdout)],
        ["bare", async () => check(await run(bare))],
      ];
      for (const [name, once] of round % 2 ? turns : turns.reverse()) {
        const started = performance.now();
        await once();
        if (round >= 0) samples[name].push(performance.now() - started);
      }
    }
  } finally {
    await sandbox.dispose();
    for (const folder of [cwd, bareCwd]) rmSync(folder, { recursive: true, force: true });
  }
  const [own, plain] = [median(samples.isolated), median(samples.bare)];
  console.log(
    `isolated echo: ${own.toFixed(1)} ms, bare bwrap with the same flags ${plain.toFixed(1)} ms: ×${(own / plain).toFixed(2)} (aim ≤ ${AIM}), median of ${rounds}`,
  );
}

function repository() {
  const cwd = mkdtempSync(join(tmpdir(), "haft-bench-"));
  execFileSync("git", ["init", "-q"], { cwd });
  return cwd;
}

/** Every program that is started from here on, with what is written to its descriptors from 4 on. */
function watchSpawn() {
  const starts = [];
  childProcess.spawn = (program, args, options) => {
    const child = spawn(program, args, options);
    const start = { argv: [program, ...args], sent: new Map() };
    starts.push(start);
    for (let fd = 4; fd < child.stdio.length; fd++) {
      const pipe = child.stdio[fd];
      const { end } = pipe;
      pipe.end = (data) => {
        start.sent.set(fd, data);
        return end.call(pipe, data);
      };
    }
    return child;
  };
  syncBuiltinESMExports();
  return starts;
}

/** The same bwrap over another folder, without what the sandbox starts before it and in it. */
function bareStart({ argv, sent }, cwd, bareCwd) {
  const at = argv.findIndex((word) => word.endsWith("/bwrap"));
  const flags = argv.slice(at, argv.indexOf("--", at) + 1);
  const words = String(sent.get(4)).split("\0");
  const moved = words.map((word) => (word.startsWith(cwd) ? bareCwd + word.slice(cwd.length) : word));
  // What the sandbox makes to mount over when a command starts is there before.
  for (const place of moved.filter((word) => word.startsWith(`${bareCwd}/`) && !existsSync(word))) {
    if (/commondir|worktree/.test(place)) writeFileSync(place, ".");
    else mkdirSync(place, { recursive: true });
  }
  const data = new Map(sent).set(4, moved.join("\0"));
  return { argv: [...flags, "/bin/bash", "--norc", "--noprofile", "-c", "echo hi"], data };
}

function run({ argv: [program, ...args], data }) {
  return new Promise((resolve, reject) => {
    const pipes = Array(Math.max(...data.keys()) - 2).fill("pipe");
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe", ...pipes], env: {} });
    for (const [fd, text] of data) child.stdio[fd].end(text);
    let [out, err] = ["", ""];
    child.stdout.on("data", (chunk) => (out += chunk));
    child.stderr.on("data", (chunk) => (err += chunk));
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve(out) : reject(new Error(err))));
  });
}

function check(output) {
  if (Buffer.from(output).toString() !== "hi\n") throw new Error(`wrong output: ${output}`);
}

function median(values) {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
