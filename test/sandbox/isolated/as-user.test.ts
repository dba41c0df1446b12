/** Root and others get their isolation in different ways: what holds for one is shown for the other too. */
import { execFile } from "node:child_process";
import { chmod, chown } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { describeIsolated, openIsolated, projectRoot, tempFolder, text } from "./helpers.ts";

const isRoot = process.getuid?.() === 0;
const UID = 1000;

describeIsolated(isRoot ? "as another user" : "as another user (skipped: only root can become one)", () => {
  test.runIf(isRoot)(
    "the contract and all isolation cases hold without root's rights",
    async () => {
      const folder = await tempFolder();
      await chown(folder, UID, UID);
      const argv = [
        ...["--reuid", String(UID), "--regid", String(UID), "--clear-groups", process.execPath],
        ...[
          join(projectRoot, "node_modules/jiti/lib/jiti-cli.mjs"),
          join(projectRoot, "test/sandbox/isolated/run-cases.ts"),
        ],
      ];
      const env = { PATH: process.env.PATH, TMPDIR: folder, HOME: folder, JITI_FS_CACHE: "false" };
      const { stdout } = await promisify(execFile)("setpriv", argv, { cwd: folder, env, maxBuffer: 2 ** 24 });
      const lines = stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      const { uid } = lines.pop();
      expect(uid).toBe(UID);
      expect(lines.length).toBeGreaterThan(100);
      expect(lines.filter(({ error }) => error !== undefined)).toEqual([]);
    },
    240_000,
  );

  test.runIf(isRoot)("a program of root's has the owner of the workspace run its commands", async () => {
    const cwd = await tempFolder();
    await chown(cwd, UID, UID);
    const { sandbox } = await openIsolated({ cwd });
    await sandbox.writeFile("by/api", Buffer.from("api\n"));
    await sandbox.writeFile("exclusive", Buffer.from("x"), { ifMatch: "absent" });
    const result = await sandbox.exec(
      "echo more >> by/api; echo x > by/command; id -u; cat by/api; grep -E '^Uid' /proc/self/status",
    );
    expect(text(result.combined)).toMatch(/^1000\napi\nmore\nUid:\s+1000/);
    const { stat } = await import("node:fs/promises");
    for (const path of ["by", "by/api", "by/command", "exclusive"]) {
      expect({ path, uid: (await stat(join(cwd, path))).uid }).toEqual({ path, uid: UID });
    }
  });

  test.runIf(isRoot)("a user can be named, and sees what that user may see", async () => {
    const cwd = await tempFolder();
    await chmod(cwd, 0o777);
    const { sandbox } = await openIsolated({ cwd, user: { uid: 65534, gid: 65534 }, root: "host" });
    const result = await sandbox.exec(
      "echo x > made; cat /etc/hostname > /dev/null && echo seen; ls -A /root /home /run; cat /etc/shadow",
    );
    expect(text(result.stdout)).toMatch(/^seen\n/);
    expect(text(result.stdout)).not.toMatch(/root:[!*$]/);
    const { stat } = await import("node:fs/promises");
    expect((await stat(join(cwd, "made"))).uid).toBe(65534);
  });
});
