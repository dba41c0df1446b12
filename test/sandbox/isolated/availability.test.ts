import { execFile } from "node:child_process";
import { chmod, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { isolated, isolatedProvider, openSandbox } from "../../../src/sandbox/index.ts";
import { checkIsolation } from "../../../src/sandbox/isolated/check.ts";
import { describeIsolated, openIsolated, projectRoot, tempFolder, text, whyNot } from "./helpers.ts";

const onLinux = process.platform === "linux";

/** A folder with the programs of this machine that are named, and those that are written here. */
async function programFolder(there: string[], written: Record<string, string> = {}): Promise<string> {
  const folder = await tempFolder();
  for (const name of there) await symlink(join("/usr/bin", name), join(folder, name));
  for (const [name, script] of Object.entries(written)) {
    await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(folder, name), 0o755);
  }
  return folder;
}

describe.runIf(onLinux)("what is missing is said", () => {
  test("bubblewrap, with the command that installs it", async () => {
    const { programs, problems } = await checkIsolation(await programFolder(["bash"]));
    expect(programs).toBeUndefined();
    expect(problems).toEqual([expect.stringMatching(/bubblewrap is not installed.*apt-get install bubblewrap socat/)]);
  });

  test("an old bubblewrap, and one that says nothing", async () => {
    const old = await checkIsolation(await programFolder(["bash"], { bwrap: "echo bubblewrap 0.4.1" }));
    expect(old.problems[0]).toMatch(/bubblewrap 0\.4\.1 is too old: 0\.7\.0/);
    const silent = await checkIsolation(await programFolder(["bash"], { bwrap: "exit 1" }));
    expect(silent.problems[0]).toMatch(/does not say which version/);
  });

  test("what stands in the way of namespaces, from bubblewrap's own words", async () => {
    const saying = async (words: string) => {
      const bwrap = `case "$1" in --version) echo bubblewrap 0.9.0;; *) echo 'bwrap: ${words}' >&2; exit 1;; esac`;
      return (await checkIsolation(await programFolder(["bash"], { bwrap }))).problems[0];
    };
    expect(await saying("setting up uid map: Permission denied")).toMatch(/apparmor_restrict_unprivileged_userns=0/);
    expect(await saying("Can'\\''t mount proc on /newroot/proc: Operation not permitted")).toMatch(
      /systempaths=unconfined/,
    );
    const words = "No permissions to create a new namespace, likely because the kernel does not allow it";
    expect(await saying(words)).toMatch(/User namespaces are forbidden.*virtual sandbox/);
  });

  test.skipIf(whyNot() !== undefined)("socat, which only egress needs", async () => {
    const folder = await programFolder(["bwrap", "bash", "nsenter", "setpriv"]);
    const { programs, problems, egressProblems } = await checkIsolation(folder);
    expect(programs).toBeDefined();
    expect(problems).toEqual([]);
    expect(egressProblems).toEqual([expect.stringMatching(/egress policy needs socat.*apt-get install socat/)]);
  });

  test.skipIf(whyNot() !== undefined || process.getuid?.() !== 0)(
    "user namespaces that the kernel forbids",
    async () => {
      // A user namespace of its own has its own limit: below it, nobody can make another.
      const script = join(await tempFolder(), "forbidden.ts");
      const from = JSON.stringify(join(projectRoot, "src/sandbox/index.ts"));
      await writeFile(
        script,
        `import { isolatedProvider, openSandbox } from ${from};
       const found = await isolatedProvider().check();
       const error = await openSandbox("isolated", { cwd: "/tmp" }).catch(({ code, message, hint }) => ({ code, message, hint }));
       await using auto = await openSandbox("auto", { cwd: "/tmp" });
       console.log(JSON.stringify({ found, error, kind: auto.kind, summary: auto.summary }));`,
      );
      const jiti = join(projectRoot, "node_modules/jiti/lib/jiti-cli.mjs");
      const command = `echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"`;
      const argv = ["--user", "--map-root-user", "sh", "-c", command, "sh", process.execPath, jiti, script];
      const env = { PATH: process.env.PATH, JITI_FS_CACHE: "false" };
      const { stdout } = await promisify(execFile)("unshare", argv, { env });
      const { found, error, kind, summary } = JSON.parse(stdout);
      expect(found).toEqual({ ok: false, problems: [expect.stringMatching(/User namespaces are forbidden/)] });
      expect(error).toMatchObject({
        code: "SANDBOX_UNAVAILABLE",
        message: expect.stringMatching(/max_user_namespaces/),
      });
      expect(error.hint).toMatch(/virtual/);
      expect(kind).toBe("virtual");
      expect(summary).toMatch(/^virtual overlay of .*"auto" chose it: bubblewrap cannot make its namespaces here/);
    },
  );
});

describeIsolated("opening", () => {
  test("by name, by its provider, and by auto", async () => {
    const cwd = await tempFolder();
    for (const name of ["isolated", "auto"]) {
      await using sandbox = await openSandbox(name, { cwd });
      expect(sandbox.kind).toBe("isolated");
      expect(sandbox.summary).toMatch(/^isolated: .*no network; writes are not held back/);
    }
    const provider = isolatedProvider({ env: { FROM: "provider" } });
    expect([provider.kind, (await provider.check()).ok]).toEqual(["isolated", true]);
    await using sandbox = await provider.create({ cwd });
    expect(text((await sandbox.exec("echo $FROM > x; cat x")).stdout)).toBe("provider\n");
    expect(await readFile(join(cwd, "x"), "utf8")).toBe("provider\n");
  });

  test("what cannot be is refused before anything runs", async () => {
    const cwd = await tempFolder();
    await mkdir(join(cwd, "in"));
    const refused = (options: object) =>
      isolated({ cwd, ...options }).then(
        () => "opened",
        (error) => error.code,
      );
    expect(await refused({ cwd: join(cwd, "missing") })).toBe("ENOENT");
    for (const system of ["/", "/usr", "/etc", "/proc", "/dev/shm", "/sys"])
      expect(await refused({ cwd: system })).toBe("EINVAL");
    for (const limits of [
      { memoryMb: 1 },
      { processes: 0 },
      { fileMb: 0.5 },
      { tmpMb: Number.NaN },
      { cpuSeconds: -1 },
    ]) {
      expect(await refused({ limits })).toBe("EINVAL");
    }
    const mounts = [
      { host: "relative" },
      { host: "/no/such/place" },
      { host: "/opt", path: "/usr" },
      { host: "/etc", path: "/etc" },
      { host: "/usr", path: "/x", mode: "rw" },
      { host: "/proc", path: "/proc/x" },
      { host: "/opt", path: join(cwd, "in") },
      { host: cwd },
    ];
    for (const mount of mounts)
      expect({ mount, code: await refused({ mounts: [mount] }) }).toEqual({ mount, code: "EINVAL" });
    expect(await refused({ env: { "A=B": "x" } })).toBe("EINVAL");
    expect(await refused({ root: "everything" })).toBe("EINVAL");
    if (process.getuid?.() === 0) expect(await refused({ root: "host" })).toBe("EINVAL");
    else expect(await refused({ user: { uid: 1, gid: 1 } })).toBe("EPERM");
  });

  test("a sandbox that was disposed of starts nothing, and leaves nothing", async () => {
    const { cwd, sandbox } = await openIsolated();
    const running = sandbox.exec("sleep 300").catch(({ code }) => ({ status: code }));
    await sandbox.dispose();
    expect(["aborted", "SANDBOX_DISPOSED"]).toContain((await running).status);
    await expect(sandbox.exec("true")).rejects.toMatchObject({ code: "SANDBOX_DISPOSED" });
    expect((await import("node:fs")).readdirSync(cwd)).toEqual([]);
  });
});

describeIsolated("mounts", () => {
  test("read-only and writable, beside the workspace and in it", async () => {
    const cwd = await tempFolder();
    const [tools, data] = [await tempFolder(), await tempFolder()];
    await writeFile(join(tools, "tool"), "a tool");
    await mkdir(join(data, ".git/hooks"), { recursive: true });
    await mkdir(join(cwd, "fixed"));
    await writeFile(join(cwd, "fixed/file"), "as it was");
    const { sandbox } = await openIsolated({
      cwd,
      mounts: [{ host: tools, path: "/opt/tools" }, { host: data, mode: "rw" }, { host: join(cwd, "fixed") }],
    });
    const said = async (command: string) => text((await sandbox.exec(command)).combined);
    expect(await said("cat /opt/tools/tool; echo x > /opt/tools/new")).toMatch(/^a tool.*Read-only file system/s);
    expect(await said(`echo x > ${data}/new; echo evil > ${data}/.git/hooks/pre-commit`)).toMatch(
      /Read-only file system/,
    );
    expect(await said("echo evil > fixed/file; rm -rf fixed; mv fixed f2; cat fixed/file")).toMatch(/as it was$/);
    expect(await readFile(join(data, "new"), "utf8")).toBe("x\n");
    for (const change of [
      sandbox.writeFile("fixed/file", Buffer.from("evil")),
      sandbox.rename("fixed", "f2"),
      sandbox.remove("fixed", { recursive: true }),
    ]) {
      await expect(change).rejects.toMatchObject({ code: "EPERM" });
    }
    await expect(sandbox.readFile(join(data, "new"))).rejects.toMatchObject({ code: "EPERM" });
  });
});
