/** Files of the machine are not there, and what is there cannot be changed. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { IsolationCase } from "../cases.ts";

/** A file beside the workspace, which nothing in a sandbox may see. */
async function withSecret(action: (path: string, folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "haft-secret-"));
  try {
    writeFileSync(join(folder, "secret.txt"), "the secret of the host");
    await action(join(folder, "secret.txt"), folder);
    assert.deepEqual(readdirSync(folder), ["secret.txt"]);
    assert.equal(readFileSync(join(folder, "secret.txt"), "utf8"), "the secret of the host");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const fileCases: IsolationCase[] = [
  {
    name: "files: no way of a command leads to a file of the host",
    run: (place) =>
      withSecret(async (secret, folder) => {
        symlinkSync(folder, join(place.cwd, "planted"));
        const ways = [
          `cat ${secret}`,
          `cat ../${secret.split("/").slice(-2).join("/")}`,
          "cat planted/secret.txt",
          `ln -s / up; cat up${secret}`,
          `ln ${secret} hard && cat hard`,
          ...["/proc/self/root", "/proc/1/root", "/proc/self/cwd/..", "/proc/1/cwd/../../..", "/proc/2/root"].map(
            (root) => `cat ${root}${secret}`,
          ),
          "find / -name secret.txt -exec cat {} +",
        ];
        for (const way of ways) assert.doesNotMatch(await place.said(way), /secret of the host/, way);
      }),
  },
  {
    name: "files: homes, passwords, keys and run-time sockets of the machine are not there",
    async run(place) {
      const paths = ["/etc/shadow", "/root", "/run", "/var", "/sys", "/boot", "/etc/ssh", "/home/*/.ssh"];
      for (const path of paths) {
        const result = await place.exec(`ls -d ${path}`);
        assert.notEqual(result.exitCode, 0, `${path}: ${Buffer.from(result.stdout)}`);
      }
      assert.equal(await place.said("ls /home; ls /root 2>/dev/null; cut -d: -f1 /etc/passwd"), "agent\nroot\nagent\n");
    },
  },
  {
    name: "files: nothing beside the workspace, /tmp and the home folder can be written",
    async run(place) {
      const places = ["/", "/etc", "/usr", "/usr/local/bin", "/bin", "/dev", "/proc/sys", "/home", "/var", "/lib"];
      for (const folder of places) {
        const result = await place.exec(`echo x > ${folder}/haft-planted`);
        assert.notEqual(result.exitCode, 0, folder);
        assert.ok(!existsSync(`${folder}/haft-planted`), folder);
      }
      const found = await place.said(
        "find / -xdev -writable -not -path '/proc/*' 2>/dev/null; find /dev -type d -writable",
      );
      assert.deepEqual(found.split("\n").filter(Boolean), ["/home/agent", "/tmp", "/dev/pts", "/dev/shm"]);
      assert.notEqual((await place.exec("echo x > /dev/pts/x")).exitCode, 0);
      const home = await place.said("echo $HOME > ~/a && cat ~/a; echo t > /tmp/b && cat /tmp/b; pwd > c && cat c");
      assert.equal(home, `/home/agent\nt\n${place.cwd}\n`);
      assert.equal(readFileSync(join(place.cwd, "c"), "utf8"), `${place.cwd}\n`);
    },
  },
  {
    name: "files: /tmp and the home folder are empty for each command",
    async run(place) {
      await place.said("echo x > /tmp/left; echo x > ~/left; echo x > /dev/shm/left");
      assert.equal(
        await place.said("ls -A /tmp ~ /dev/shm"),
        "/dev/shm:\n\n/home/agent:\n\n/tmp:\n".replace("/tmp:\n", `/tmp:\n${topOf(place.cwd)}`),
      );
    },
  },
  {
    name: "files: what is made in the workspace belongs to its owner",
    async run(place) {
      await place.said("mkdir made; echo x > made/file");
      await place.sandbox.writeFile("by/api", Buffer.from("x"));
      const { statSync } = await import("node:fs");
      const owner = statSync(place.cwd).uid;
      for (const path of ["made", "made/file", "by", "by/api"])
        assert.equal(statSync(join(place.cwd, path)).uid, owner, path);
      assert.equal(await place.said("echo more >> by/api; cat by/api"), "xmore\n");
    },
  },
];

/** The workspaces of these cases are in the machine's /tmp, and their path is there in the sandbox too. */
function topOf(cwd: string): string {
  return cwd.startsWith("/tmp/") ? `${cwd.split("/")[2]}\n` : "";
}
