/**
 * What the isolated sandbox adds to bubblewrap: `echo hi` through its public door, beside a bare `bwrap` with the same namespaces and
 * the same mounts, which are read off a command of the sandbox. They take turns, so that noise hits both alike.
 *
 *   npm run bench -- --isolated
 */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const AIM = 1.5;

export async function benchIsolated({ rounds = 60 } = {}) {
  const { isolated, isolatedProvider } = await import("../dist/sandbox/index.js");
  const { ok, problems } = await isolatedProvider().check();
  if (!ok) return console.log(`isolated echo: left out, ${problems.join(" ")}`);
  const [cwd, bareCwd] = [repository(), repository()];
  const sandbox = await isolated({ cwd });
  const argv = bareArguments(
    bareCwd,
    (await mountsOf(sandbox)).map((mount) => moved(mount, cwd, bareCwd)),
  );
  const samples = { isolated: [], bare: [] };
  try {
    for (let round = -5; round < rounds; round++) {
      const turns = [
        ["isolated", async () => check((await sandbox.exec("echo hi")).stdout)],
        ["bare", async () => check(await run(argv))],
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
  const [own, bare] = [median(samples.isolated), median(samples.bare)];
  const ratio = own / bare;
  console.log(
    `isolated echo: ${own.toFixed(1)} ms, bare bwrap with the same mounts ${bare.toFixed(1)} ms: ×${ratio.toFixed(2)} (aim ≤ ${AIM}), median of ${rounds}`,
  );
}

function repository() {
  const cwd = mkdtempSync(join(tmpdir(), "haft-bench-"));
  execFileSync("git", ["init", "-q"], { cwd });
  return cwd;
}

/** The sandbox makes what it mounts over when a command starts; for the bare one it is there before. */
function moved(mount, from, to) {
  if (!mount.place.startsWith(from)) return mount;
  const place = to + mount.place.slice(from.length);
  if (existsSync(place)) return { ...mount, place };
  if (/commondir|worktree/.test(place)) writeFileSync(place, ".");
  else mkdirSync(place);
  return { ...mount, place };
}

/** Where things are mounted in the sandbox, and how. */
async function mountsOf(sandbox) {
  const { stdout } = await sandbox.exec("cat /proc/self/mountinfo");
  return Buffer.from(stdout)
    .toString()
    .trim()
    .split("\n")
    .map((line) => {
      const [before, after] = line.split(" - ");
      const [, , , , place, options] = before.split(" ");
      return { place, readOnly: options.startsWith("ro"), type: after.split(" ")[0] };
    });
}

/** The same namespaces and one mount for each that the sandbox has, of the same kind. */
function bareArguments(cwd, mounts) {
  const args = [
    "--unshare-user",
    "--unshare-ipc",
    "--unshare-pid",
    "--unshare-net",
    "--unshare-uts",
    "--unshare-cgroup-try",
  ];
  args.push(
    "--die-with-parent",
    "--new-session",
    "--as-pid-1",
    "--cap-drop",
    "ALL",
    "--uid",
    "1000",
    "--gid",
    "1000",
    "--clearenv",
  );
  for (const name of ["bin", "sbin", "lib", "lib64"]) args.push("--symlink", `usr/${name}`, `/${name}`);
  for (const { place, readOnly, type } of mounts) {
    if (place === "/" || place.startsWith("/dev/") || place === "/dev/pts") continue;
    if (place === "/proc") args.push("--proc", "/proc");
    else if (place === "/dev") args.push("--dev", "/dev");
    else if (type === "tmpfs") args.push("--tmpfs", place);
    else args.push(readOnly ? "--ro-bind" : "--bind", place, place);
  }
  return ["bwrap", ...args, "--chdir", cwd, "--", "/bin/bash", "--norc", "--noprofile", "-c", "echo hi"];
}

function run([program, ...args]) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
    let [out, err] = ["", ""];
    child.stdout.on("data", (data) => (out += data));
    child.stderr.on("data", (data) => (err += data));
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
