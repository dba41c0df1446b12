/** Files that would make programs outside run something cannot be changed, by commands or by the file API. */
import assert from "node:assert/strict";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { NAMES_OF_A_HOME, PROTECTED_NAMES } from "../../../../src/sandbox/isolated/protected-names.ts";
import { git, type IsolationCase } from "../cases.ts";

const read = (...path: string[]) => readFileSync(join(...path), "utf8");

async function assertRefused(call: Promise<unknown>, what: string): Promise<void> {
  const error = await call.then(
    () => assert.fail(`not refused: ${what}`),
    (thrown) => thrown,
  );
  assert.equal(error.code, "EPERM", `${what}: ${error.message}`);
}

function repository(cwd: string): void {
  mkdirSync(cwd, { recursive: true });
  git(cwd, "init", "-q");
  writeFileSync(join(cwd, ".git/hooks/pre-commit"), "the hook");
}

export const protectedCases: IsolationCase[] = [
  {
    name: "protected: sessions, where decisions are, and patches that wait",
    before(cwd) {
      for (const name of ["sessions", "patches", "output"]) mkdirSync(join(cwd, ".haft", name), { recursive: true });
      writeFileSync(join(cwd, ".haft/sessions/s.jsonl"), "{}\n");
      writeFileSync(join(cwd, ".haft/haft.db"), "SQLite");
    },
    async run({ cwd, sandbox }) {
      const forge = "echo forged >> .haft/sessions/s.jsonl; echo forged > .haft/patches/p; mv .haft .h2; rm -rf .haft";
      await sandbox.exec(`${forge}; mkdir -p .haft/output; echo fine > .haft/output/o`);
      assert.equal(read(cwd, ".haft/sessions/s.jsonl"), "{}\n");
      assert.deepEqual(readdirSync(join(cwd, ".haft/patches")), []);
      assert.equal(read(cwd, ".haft/output/o"), "fine\n");
      const ends = ["", "-wal", "-shm", "-journal"];
      await sandbox.exec(ends.map((end) => `echo forged > .haft/haft.db${end}`).join("; "));
      assert.equal(read(cwd, ".haft/haft.db"), "SQLite");
      assert.deepEqual(readdirSync(join(cwd, ".haft")).sort(), ["haft.db", "output", "patches", "sessions"]);
      const text = new TextEncoder().encode("forged");
      await assertRefused(sandbox.writeFile(".haft/sessions/t.jsonl", text), "a new session");
      for (const end of ends) await assertRefused(sandbox.writeFile(`.haft/haft.db${end}`, text), `the database${end}`);
      await assertRefused(sandbox.remove(".haft", { recursive: true }), "the folder of sessions");
      await sandbox.writeFile(".haft/output/p", text);
    },
  },
  {
    name: "protected: what is there stays as it is",
    before(cwd) {
      repository(cwd);
      for (const name of [".bashrc", ".npmrc", ".gitmodules"]) writeFileSync(join(cwd, name), `# ${name}\n`);
      mkdirSync(join(cwd, ".vscode"));
      writeFileSync(join(cwd, ".vscode/tasks.json"), "{}");
    },
    async run(place) {
      const config = read(place.cwd, ".git/config");
      const ways = [
        ...[
          "echo evil > F",
          "echo evil >> F",
          "rm -f F",
          "mv F F2",
          "ln -sf /tmp/x F",
          "cp /etc/passwd F",
          "chmod 777 F && echo evil > F",
        ].flatMap((way) =>
          [".git/hooks/pre-commit", ".git/config", ".bashrc", ".npmrc", ".vscode/tasks.json"].map((file) =>
            way.replaceAll("F", file),
          ),
        ),
        "echo evil > .git/hooks/post-checkout",
        "mv .git .git2; mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit",
        "mv .git/hooks .git/hooks2; mkdir .git/hooks; echo evil > .git/hooks/pre-commit",
        "rm -rf .git; git init -q; echo evil > .git/hooks/pre-commit",
        "git config core.fsmonitor evil; git config core.hooksPath evil",
        "mkdir -p evil; mv -T evil .vscode; mv .vscode v2; rm -rf .vscode",
      ];
      for (const way of ways) await place.exec(way);
      assert.equal(read(place.cwd, ".git/hooks/pre-commit"), "the hook");
      assert.equal(read(place.cwd, ".git/config"), config);
      for (const name of [".bashrc", ".npmrc", ".gitmodules"]) assert.equal(read(place.cwd, name), `# ${name}\n`);
      assert.deepEqual(readdirSync(join(place.cwd, ".vscode")), ["tasks.json"]);
      assert.equal(read(place.cwd, ".vscode/tasks.json"), "{}");
      assert.ok(!existsSync(join(place.cwd, ".git/hooks/post-checkout")));
    },
  },
  {
    name: "protected: what is not there is not made, and nothing is left of its cover",
    before: (cwd) => git(cwd, "init", "-q"),
    async run(place) {
      for (const name of PROTECTED_NAMES.filter((one) => !NAMES_OF_A_HOME.includes(one))) {
        const ways = [`echo evil > ${name}`, `mkdir -p ${name}/in`, `rm -rf ${name}; echo evil > ${name}`];
        for (const way of [...ways, `rmdir ${name}; mkdir e; mv -T e ${name}`, `ln -sfn /tmp ${name}`])
          await place.exec(way);
        assert.ok(!existsSync(join(place.cwd, name)), name);
      }
      await place.exec("echo ../evil > .git/commondir; rm -f .git/commondir; echo ../evil > .git/commondir");
      await place.exec("chmod u+w .vscode; echo x > .vscode/tasks.json");
      assert.deepEqual(readdirSync(place.cwd).sort(), [".git", "e"]);
      assert.deepEqual(
        readdirSync(join(place.cwd, ".git")).filter((name) => /commondir|worktree/.test(name)),
        [],
      );
    },
  },
  {
    name: "protected: covers are there for all commands at once, and gone after the last",
    async run(place) {
      const results = await Promise.all(
        [0.1, 0.5, 0.9].map((seconds) => place.exec(`sleep ${seconds}; echo evil > .envrc; mkdir .claude/x`)),
      );
      assert.deepEqual(
        results.map(({ status }) => status),
        ["exited", "exited", "exited"],
      );
      assert.deepEqual(readdirSync(place.cwd), []);
    },
  },
  {
    name: "protected: what a person puts there meanwhile is kept",
    async run(place) {
      const handle = await place.sandbox.start("read -r line");
      for (let tries = 0; !existsSync(join(place.cwd, ".claude")) && tries < 500; tries++) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      writeFileSync(join(place.cwd, "mine"), "");
      const { chmodSync } = await import("node:fs");
      chmodSync(join(place.cwd, ".claude"), 0o755);
      writeFileSync(join(place.cwd, ".claude/settings.json"), "{}");
      handle.endInput();
      await handle.result;
      assert.deepEqual(readdirSync(place.cwd).sort(), [".claude", "mine"]);
      await place.exec("echo evil > .claude/settings.json");
      assert.equal(read(place.cwd, ".claude/settings.json"), "{}");
    },
  },
  {
    name: "protected: repositories in the workspace, their submodules, and the folders that lead there",
    before(cwd) {
      repository(join(cwd, "packages/inner"));
      mkdirSync(join(cwd, ".git/modules/sub/objects"), { recursive: true });
      mkdirSync(join(cwd, ".git/modules/sub/refs"));
      writeFileSync(join(cwd, ".git/modules/sub/HEAD"), "ref: refs/heads/main\n");
      writeFileSync(join(cwd, ".git/modules/sub/config"), "[core]\n");
      mkdirSync(join(cwd, "tree"));
      writeFileSync(join(cwd, "tree/.git"), "gitdir: ../.git/worktrees/tree\n");
    },
    async run(place) {
      const ways = [
        "echo evil > packages/inner/.git/hooks/pre-commit; echo evil > packages/inner/.git/config",
        "mv packages p2; mkdir -p packages/inner/.git/hooks; echo evil > packages/inner/.git/hooks/pre-commit",
        "mv packages/inner packages/i2",
        "echo evil > .git/modules/sub/config; mkdir -p .git/modules/sub/hooks; echo evil > .git/modules/sub/hooks/x",
        "mv .git/modules .git/m2",
        "echo 'gitdir: ../evil' > tree/.git; rm tree/.git; mv tree t2",
      ];
      for (const way of ways) await place.exec(way);
      assert.equal(read(place.cwd, "packages/inner/.git/hooks/pre-commit"), "the hook");
      assert.match(read(place.cwd, "packages/inner/.git/config"), /repositoryformatversion/);
      assert.equal(read(place.cwd, ".git/modules/sub/config"), "[core]\n");
      assert.ok(!existsSync(join(place.cwd, ".git/modules/sub/hooks")));
      assert.equal(read(place.cwd, "tree/.git"), "gitdir: ../.git/worktrees/tree\n");
      assert.deepEqual(readdirSync(place.cwd).sort(), [".git", "packages", "tree"]);
    },
  },
  {
    name: "protected: hooks behind a symlink make all of .git read-only",
    before(cwd) {
      git(cwd, "init", "-q");
      git(cwd, "config", "x.y", "z");

      rmSync(join(cwd, ".git/hooks"), { recursive: true });
      mkdirSync(join(cwd, "shared"));
      symlinkSync("../shared", join(cwd, ".git/hooks"));
    },
    async run(place) {
      await place.exec("rm .git/hooks; mkdir .git/hooks; echo evil > .git/hooks/pre-commit; mv .git g2");
      assert.ok(lstatSync(join(place.cwd, ".git/hooks")).isSymbolicLink());
    },
  },
  {
    name: "protected: git still works",
    before: (cwd) => repository(cwd),
    async run(place) {
      await place.said("rm -f x; echo x > file");
      const commit = "git -c user.name=a -c user.email=a@example.com -c core.hooksPath=/dev/null commit -qm first";
      assert.equal(await place.said(`git add -A && ${commit} && git status --short && git log --format=%s`), "first\n");
      assert.equal(git(place.cwd, "show", "--name-only", "--format=%s"), "first\n\nfile\n");
      assert.equal(git(place.cwd, "status", "--short"), "");
    },
  },
  {
    name: "protected: the file API refuses the same, through links too",
    before(cwd) {
      repository(cwd);
      repository(join(cwd, "a/b"));
      writeFileSync(join(cwd, "mine"), "evil");
    },
    async run({ sandbox, cwd }) {
      const evil = Buffer.from("evil");
      symlinkSync(".git", join(cwd, "link"));
      const places = [
        ".git/hooks/pre-commit",
        ".git/hooks/new",
        ".git/config",
        ".GIT/config",
        ".git/commondir",
        "link/config",
      ];
      for (const path of [
        ...places,
        "a/b/.git/hooks/x",
        "deep/er/est/one/.git/config",
        ".envrc",
        ".vscode/tasks.json",
        ".claude/x/y",
      ]) {
        await assertRefused(sandbox.writeFile(path, evil), `write ${path}`);
        await assertRefused(sandbox.rename("mine", path), `rename to ${path}`);
        await assertRefused(sandbox.mkdir(path), `mkdir ${path}`);
      }
      for (const path of [".git", "a", "a/b", "a/b/.git", ".git/hooks", ".git/config", ".git/hooks/pre-commit"]) {
        await assertRefused(sandbox.rename(path, "taken"), `rename ${path}`);
        await assertRefused(sandbox.remove(path, { recursive: true }), `remove ${path}`);
      }
      assert.deepEqual(readdirSync(cwd).sort(), [".git", "a", "link", "mine"]);
      assert.equal(read(cwd, ".git/hooks/pre-commit"), "the hook");
      assert.match(Buffer.from(await sandbox.readFile(".git/config")).toString(), /core/, "reading is fine");
    },
  },
];
