/** Attempts to run a program through git, with a real git: by arguments, and by what stands in the workspace. */
import { execFileSync } from "node:child_process";
import { existsSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openRepository, readOutside, SECRET, type Trap } from "./helpers.ts";

const open = { command: "git", network: true } as const;

/** Nothing ran, nothing leaked, nothing outside was touched. */
async function holds(trap: Trap, args: readonly string[], more?: { cwd?: string }): Promise<string | undefined> {
  const { code, text } = await trap.call(open, args, more);
  expect(trap.ran(), `${args.join(" ")}: the canary ran`).toBe(false);
  expect(text).not.toContain(SECRET);
  expect(readOutside(trap)).toBe(`${SECRET}\n`);
  return code;
}

describe("arguments that are refused", () => {
  const attempts = (canary: string, outside: string): string[][] => [
    ["-c", `core.pager=${canary}`, "log"],
    ["-c", `alias.x=!${canary}`, "x"],
    ["-p", "log"],
    ["--paginate", "log"],
    ["--config-env=core.pager=X", "log"],
    ["--config-env", "core.pager=X", "log"],
    [`--exec-path=${outside}`, "status"],
    [`--exec-p=${outside}`, "status"],
    [`--git-dir=${outside}`, "log"],
    ["--git-dir", outside, "log"],
    [`--work-tree=${outside}`, "add", "."],
    ["-C", outside, "log"],
    ["clone", `ext::${canary}`],
    ["clone", `ext::sh -c ${canary}%`, "copy"],
    ["fetch", `ext::${canary}`],
    ["ls-remote", `ext::${canary}`],
    ["pull", `ext::${canary}`],
    ["push", `ext::${canary}`, "main"],
    ["clone", outside],
    ["clone", `file://${outside}`],
    ["clone", `ssh://-oProxyCommand=${canary}/x`],
    ["clone", "git@example.com:a/b"],
    ["clone", "-u", canary, "https://example.com/a"],
    ["clone", `--upload-pack=${canary}`, "https://example.com/a"],
    ["clone", `--upload-p=${canary}`, "https://example.com/a"],
    ["clone", "-c", `core.fsmonitor=${canary}`, "https://example.com/a"],
    ["clone", "--config", `core.fsmonitor=${canary}`, "https://example.com/a"],
    ["clone", `--template=${outside}`, "https://example.com/a"],
    ["clone", "--recurse-submodules", "https://example.com/a"],
    ["clone", "https://example.com/a", outside],
    ["clone", "https://example.com/a", "../copy"],
    ["clone", `--reference=${outside}`, "https://example.com/a"],
    ["clone", `--separate-git-dir=${outside}`, "https://example.com/a"],
    ["clone", "https://user@example.com/a"],
    ["fetch", `--upload-pack=${canary}`, "origin"],
    ["fetch", "--upload-pack", canary, "origin"],
    ["push", `--receive-pack=${canary}`, "origin"],
    ["push", `--exec=${canary}`, "origin"],
    ["ls-remote", `--upload-pack=${canary}`, "."],
    ["ls-remote", `--exec=${canary}`, "."],
    ["submodule", "foreach", canary],
    ["submodule", "add", `ext::${canary}`],
    ["bisect", "run", canary],
    ["rebase", "--exec", canary, "other"],
    ["rebase", `--exe=${canary}`, "other"],
    ["rebase", "-x", canary, "other"],
    ["rebase", `-qx${canary}`, "other"],
    ["rebase", "-i", "other"],
    ["filter-branch", "--tree-filter", canary],
    ["config", "alias.x", `!${canary}`],
    ["config", "--global", "core.pager", canary],
    ["grep", `-O${canary}`, "one"],
    ["grep", "-O", "one"],
    ["grep", `-nO${canary}`, "one"],
    ["grep", `--open-files-in-pager=${canary}`, "one"],
    ["grep", `--open-f=${canary}`, "one"],
    ["grep", "--no-index", SECRET, outside],
    ["grep", "-f", `${outside}/secret`],
    ["grep", "--textconv", "one"],
    ["log", "--ext-diff", "-p"],
    ["log", "--output=../outside/secret"],
    ["log", "--output", `${outside}/secret`],
    ["log", `--outp=${outside}/secret`],
    ["diff", `--output=${outside}/secret`],
    ["diff", "--ext-diff"],
    ["diff", "--textconv"],
    ["diff", "--no-index", "/dev/null", `${outside}/secret`],
    ["diff", "/dev/null", `${outside}/secret`],
    ["diff", "--", "a.txt", `${outside}/secret`],
    ["diff", "a.txt", "../outside/secret"],
    ["diff", "src/../../outside/secret", "a.txt"],
    ["show", "--textconv", "HEAD:a.txt"],
    ["cat-file", "--textconv", "HEAD:a.txt"],
    ["cat-file", "--filters", "HEAD:a.txt"],
    ["blame", "--contents", `${outside}/secret`, "a.txt"],
    ["archive", `--exec=${canary}`, "--remote=.", "HEAD"],
    ["archive", `--output=${outside}/x.tar`, "HEAD"],
    ["difftool", `--extcmd=${canary}`, "-y", "HEAD~1"],
    ["mergetool", `--tool=${canary}`],
    ["help", "-w", "log"],
    ["instaweb", `--browser=${canary}`],
    ["send-email", `--smtp-server=${canary}`, "HEAD"],
    ["credential", "fill"],
    ["credential-store", `--file=${outside}/secret`, "get"],
    ["daemon"],
    ["upload-pack", "."],
    ["receive-pack", "."],
    ["fast-import"],
    ["hook", "run", "post-commit"],
    ["maintenance", "run"],
    ["worktree", "add", "../elsewhere"],
    ["var", "GIT_EDITOR"],
    ["init", "--template=../outside", "new"],
    ["init", `--separate-git-dir=${outside}/x`, "new"],
    ["init", "../elsewhere"],
    ["init", ".git/hooks"],
    ["mv", "-f", "a.txt", ".git/config"],
    ["mv", "a.txt", ".git/hooks/pre-commit"],
    ["mv", "a.txt", "src/../.GIT/hooks/pre-commit"],
    ["mv", "a.txt", "../outside/a.txt"],
    ["clone", "https://example.com/a", ".git/hooks"],
    ["clone", "https://example.com/.git.git"],
    ["commit", "-F", `${outside}/secret`],
    ["commit", "-t", `${outside}/secret`],
    ["commit", "-e", "-m", "x"],
    ["commit", "--edit", "-m", "x"],
    ["commit", "-S", "-m", "x"],
    ["commit", "--gpg-sign", "-m", "x"],
    ["commit", "--trailer", "x:y", "-m", "x"],
    ["commit", "--pathspec-from-file=../outside/secret", "-m", "x"],
    ["add", "-p"],
    ["add", "--interactive"],
    ["add", "-e"],
    ["add", "--chmod=+x", "a.txt"],
    ["add", "../outside/secret"],
    ["apply", "../outside/secret"],
    ["apply", "--unsafe-paths", "a.txt"],
    ["apply", "--directory=../outside", "a.txt"],
    ["apply", "--build-fake-ancestor=../outside/secret", "a.txt"],
    ["tag", "-s", "v1", "-m", "x"],
    ["tag", "-v", "v1"],
    ["tag", "-F", `${outside}/secret`, "v1"],
    ["merge", "-S", "other"],
    ["merge", "--edit", "other"],
    ["merge", "-s", `../../../${canary}`, "other"],
    ["merge", "-F", `${outside}/secret`, "other"],
    ["checkout", "-p"],
    ["checkout", "--recurse-submodules", "other"],
    ["stash", "-p"],
    ["log", "--show-signature"],
    ["log", "--onel"],
    ["fetch", "-n", "--no-such-option"],
    ["cat-file", "--batch-command"],
    ["log", "-n", "--output=x"],
    ["log\0"],
    [canary],
    [`../${canary}`],
    [],
  ];

  test("each of them, before anything runs", async () => {
    const trap = await openRepository();
    const tried = attempts(trap.canary, trap.outside);
    expect(tried.length).toBeGreaterThan(110);
    const passed: string[] = [];
    for (const args of tried) {
      if ((await holds(trap, args)) !== "COMMAND_REFUSED") passed.push(args.join(" "));
    }
    expect(passed).toEqual([]);
    expect(existsSync(join(trap.root, "../elsewhere"))).toBe(false);
  }, 120_000);
});

/** How the workspace is prepared, and what is then asked of git. `fires` without a grant: the trap is a real one. */
interface Hostile {
  name: string;
  arrange(trap: Trap): void;
  args: string[][];
  fires: boolean;
}

const setting = (key: string, args: string[][], fires = true, before?: (trap: Trap) => void): Hostile => ({
  name: key,
  arrange(trap) {
    before?.(trap);
    trap.git("config", key, trap.canary);
  },
  args,
  fires,
});

const changed = (trap: Trap) => trap.write("a.txt", "changed\n");
const attributes = (text: string) => (trap: Trap) => {
  trap.write(".gitattributes", text);
  changed(trap);
};

const hostile: Hostile[] = [
  setting("core.fsmonitor", [["status"], ["diff"], ["add", "."]]),
  setting("core.editor", [
    ["commit", "--amend"],
    ["merge", "other"],
  ]),
  setting("sequence.editor", [["rebase", "other"]], false),
  setting("core.pager", [["log"]], false),
  setting("pager.log", [["log"]], false),
  setting(
    "core.sshCommand",
    [
      ["fetch", "origin"],
      ["ls-remote", "ssh://example.com/x"],
    ],
    true,
    (trap) => trap.git("remote", "add", "origin", "ssh://example.com/x"),
  ),
  setting("core.askPass", [["status"]], false),
  setting("diff.external", [["diff"], ["log", "-p"], ["show"], ["stash", "push"]], true, changed),
  setting("diff.evil.command", [["diff"]], true, attributes("* diff=evil\n")),
  setting(
    "diff.evil.textconv",
    [["diff"], ["show"], ["log", "-p"], ["blame", "a.txt"]],
    true,
    attributes("* diff=evil\n"),
  ),
  setting(
    "filter.evil.clean",
    [["status"], ["add", "."], ["diff"], ["commit", "-am", "x"], ["stash"]],
    true,
    attributes("* filter=evil\n"),
  ),
  setting(
    "filter.evil.smudge",
    [
      ["checkout", "-f", "other"],
      ["restore", "a.txt"],
      ["reset", "--hard"],
    ],
    true,
    attributes("* filter=evil\n"),
  ),
  setting("filter.evil.process", [["status"], ["add", "."]], true, attributes("* filter=evil\n")),
  {
    name: "a merge driver",
    arrange(trap) {
      trap.write(".gitattributes", "* merge=evil\n");
      trap.git("config", "merge.evil.driver", `${trap.canary} %O`);
      trap.git("checkout", "-q", "other");
      trap.write("a.txt", "another\n");
      trap.git("commit", "-qam", "apart");
      trap.git("checkout", "-q", "main");
    },
    args: [
      ["merge", "other"],
      ["rebase", "other"],
      ["cherry-pick", "other"],
    ],
    fires: true,
  },
  setting("credential.helper", [["fetch", "origin"]], false, (trap) =>
    trap.git("remote", "add", "origin", "https://127.0.0.1:9/x"),
  ),
  setting("credential.https://127.0.0.1:9.helper", [["fetch", "origin"]], false),
  {
    name: "gpg.program",
    arrange(trap) {
      trap.git("config", "gpg.program", trap.canary);
      trap.git("config", "commit.gpgSign", "true");
      changed(trap);
    },
    args: [
      ["commit", "--allow-empty", "-m", "x"],
      ["log", "--format=%G?"],
      ["tag", "-a", "v1", "-m", "x"],
    ],
    fires: true,
  },
  setting("gpg.ssh.defaultKeyCommand", [["status"]], false),
  {
    name: "an alias",
    arrange: (trap) => trap.git("config", "alias.hello", `!${trap.canary}`),
    args: [["hello"]],
    fires: true,
  },
  {
    name: "core.hooksPath",
    arrange(trap) {
      hooks(trap, "hooks");
      trap.git("config", "core.hooksPath", "hooks");
      changed(trap);
    },
    args: [
      ["commit", "-am", "x"],
      ["checkout", "-f", "other"],
      ["merge", "other"],
    ],
    fires: true,
  },
  {
    name: "hooks",
    arrange(trap) {
      hooks(trap, ".git/hooks");
      changed(trap);
    },
    args: [
      ["commit", "-am", "x"],
      ["checkout", "-f", "other"],
      ["stash"],
      ["rebase", "other"],
      ["reset", "--hard"],
      ["add", "."],
    ],
    fires: true,
  },
  {
    name: "a remote that is a helper",
    arrange(trap) {
      trap.git("config", "protocol.ext.allow", "always");
      trap.git("remote", "add", "origin", `ext::${trap.canary} x`);
    },
    args: [
      ["fetch", "origin"],
      ["fetch"],
      ["pull"],
      ["push", "origin", "main"],
      ["ls-remote", "origin"],
      ["fetch", "--all"],
    ],
    fires: true,
  },
  {
    name: "a remote that is rewritten to a helper",
    arrange(trap) {
      trap.git("config", "protocol.ext.allow", "always");
      trap.git("config", `url.ext::${trap.canary} .insteadOf`, "https://example.com/");
      trap.git("remote", "add", "origin", "https://example.com/x");
    },
    args: [
      ["fetch", "origin"],
      ["ls-remote", "https://example.com/x"],
    ],
    fires: true,
  },
  {
    name: "an old remote file",
    arrange(trap) {
      trap.git("config", "protocol.ext.allow", "always");
      trap.write(".git/remotes/old", `URL: ext::${trap.canary} x\n`);
    },
    args: [["fetch", "old"]],
    fires: true,
  },
  {
    name: "a remote's own upload-pack",
    arrange(trap) {
      trap.git("remote", "add", "origin", trap.root);
      trap.git("config", "remote.origin.uploadpack", trap.canary);
      trap.git("config", "remote.origin.receivepack", trap.canary);
    },
    args: [
      ["fetch", "origin"],
      ["push", "origin", "main"],
    ],
    fires: true,
  },
  {
    name: "a repository beside it with hooks, pushed to by its path",
    arrange(trap) {
      trap.git("init", "-q", "--bare", "there.git");
      trap.write("there.git/hooks/post-receive", `#!/bin/sh\n${trap.canary}\n`, 0o755);
      trap.git("remote", "add", "origin", join(trap.root, "there.git"));
    },
    args: [
      ["push", "origin", "main"],
      ["push", "./there.git", "main"],
    ],
    fires: true,
  },
  {
    name: "include",
    arrange(trap) {
      trap.write("more.config", `[core]\n\tfsmonitor = ${trap.canary}\n[filter "e"]\n\tclean = ${trap.canary}\n`);
      trap.git("config", "include.path", "../more.config");
      attributes("* filter=e\n")(trap);
    },
    args: [["status"], ["add", "."]],
    fires: true,
  },
  {
    name: "includeIf",
    arrange(trap) {
      trap.write("more.config", `[filter "e"]\n\tclean = ${trap.canary}\n`);
      trap.git("config", `includeIf.gitdir:${trap.root}/.path`, "../more.config");
      attributes("* filter=e\n")(trap);
    },
    args: [["status"], ["add", "."]],
    fires: true,
  },
  {
    name: "config.worktree",
    arrange(trap) {
      trap.git("config", "extensions.worktreeConfig", "true");
      trap.git("config", "--worktree", "filter.e.clean", trap.canary);
      attributes("* filter=e\n")(trap);
    },
    args: [["status"], ["add", "."]],
    fires: true,
  },
  {
    name: "attributes in .git/info",
    arrange(trap) {
      trap.write(".git/info/attributes", "* filter=e\n");
      trap.git("config", "filter.e.clean", trap.canary);
      changed(trap);
    },
    args: [["add", "."]],
    fires: true,
  },
  {
    name: "a .git file that leads outside",
    arrange(trap) {
      trap.git("init", "-q", "--separate-git-dir", join(trap.outside, "repo"));
      trap.git("config", "filter.e.clean", trap.canary);
      attributes("* filter=e\n")(trap);
    },
    args: [["status"], ["add", "."]],
    fires: true,
  },
  {
    name: "a submodule with a filter",
    arrange(trap) {
      nested(trap);
      trap.git("-c", "advice.addEmbeddedRepo=false", "add", "sub");
      trap.git("config", "-f", "sub/.git/config", "filter.e.clean", trap.canary);
      trap.write("sub/f", "b\n"); // as long as before, so that git must look into it
    },
    args: [["status"], ["diff"], ["add", "."], ["commit", "-am", "x"], ["stash"]],
    fires: true,
  },
  {
    name: "a nested repository as the folder of the call",
    arrange(trap) {
      nested(trap);
      trap.git("config", "-f", "sub/.git/config", "filter.e.clean", trap.canary);
      trap.write("sub/f", "b\n"); // as long as before, so that git must look into it
      trap.git("config", "-f", "sub/.git/config", "core.fsmonitor", trap.canary);
    },
    args: [
      ["-sub", "status"],
      ["-sub", "add", "."],
    ],
    fires: true,
  },
  {
    name: "a bare repository among the files",
    arrange(trap) {
      trap.write("evil/HEAD", "ref: refs/heads/main\n");
      trap.write("evil/objects/x", "");
      trap.write("evil/refs/x", "");
      trap.write(
        "evil/config",
        `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = ${trap.canary}\n[filter "e"]\n\tclean = ${trap.canary}\n`,
      );
    },
    args: [
      ["-evil", "status"],
      ["-evil", "diff"],
    ],
    fires: true,
  },
  setting("trailer.sign.command", [["commit", "--amend", "-m", "x"]], false),
  setting("core.alternateRefsCommand", [["fetch", "origin"]], false),
  setting("uploadpack.packObjectsHook", [["fetch", "origin"]], false),
  setting("submodule.x.update", [["checkout", "other"]], false),
  setting("some.futureProgram", [["status"]], false),
];

function hooks(trap: Trap, folder: string): void {
  const names = ["pre-commit", "commit-msg", "prepare-commit-msg", "post-commit", "post-checkout", "pre-merge-commit"];
  const more = ["post-merge", "pre-rebase", "post-rewrite", "reference-transaction", "post-index-change", "pre-push"];
  for (const name of [...names, ...more]) trap.write(`${folder}/${name}`, `#!/bin/sh\n${trap.canary}\n`, 0o755);
}

function nested(trap: Trap): void {
  trap.git("init", "-q", "sub");
  trap.write("sub/f", "a\n");
  trap.write("sub/.gitattributes", "* filter=e\n");
  trap.git("-C", "sub", "add", ".");
  trap.git("-C", "sub", "commit", "-qm", "x");
}

/** A first argument `-sub` is the folder of the call. */
function asked(args: readonly string[]): { cwd?: string; rest: string[] } {
  return args[0]?.startsWith("-") ? { cwd: args[0].slice(1), rest: args.slice(1) } : { rest: [...args] };
}

describe("a hostile workspace", () => {
  test.for(hostile)("$name", async ({ arrange, args, fires }) => {
    const trap = await openRepository();
    arrange(trap);
    trap.reset();
    for (const one of args) {
      const { cwd, rest } = asked(one);
      await holds(trap, rest, cwd ? { cwd } : {});
    }
    if (!fires) return;
    for (const one of args) {
      const { cwd, rest } = asked(one);
      if (!trap.ran()) trap.bare("git", cwd ? ["-C", cwd, ...rest] : rest);
    }
    expect(trap.ran(), "without a grant, nothing ran either: this trap proves nothing").toBe(true);
  });

  test("a submodule that comes with a checkout, over a repository that stood there", async () => {
    const trap = await openRepository();
    nested(trap);
    trap.git("checkout", "-q", "-b", "evil");
    trap.git("-c", "advice.addEmbeddedRepo=false", "add", "sub");
    trap.write(".gitmodules", '[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n\tignore = none\n');
    trap.git("add", ".gitmodules");
    trap.git("commit", "-qm", "evil");
    trap.git("checkout", "-q", "main");
    trap.git("config", "-f", "sub/.git/config", "filter.e.clean", trap.canary);
    trap.write("sub/f", "xx\n");
    trap.reset();
    for (const args of [
      ["checkout", "evil"],
      ["switch", "evil"],
      ["merge", "evil"],
      ["cherry-pick", "evil"],
      ["reset", "--hard", "evil"],
      ["stash"],
      ["rebase", "evil"],
      ["pull"],
      ["restore", "-s", "evil", "."],
      ["checkout", "evil", "--", "sub"],
      ["restore", "--staged", "-s", "evil", "sub"],
      ["diff", "evil"],
      ["log", "-p", "evil"],
      ["status"],
      ["add", "."],
      ["status"],
      ["diff"],
      ["commit", "-m", "x"],
    ]) {
      await holds(trap, args);
      trap.git("reset", "-q", "--hard", "main");
      trap.reset();
    }
  });

  test("links in the workspace lead nowhere", async () => {
    const trap = await openRepository();
    symlinkSync(trap.outside, join(trap.root, "link"));
    symlinkSync(".git/hooks", join(trap.root, "hooks"));
    expect(await holds(trap, ["mv", "a.txt", "hooks/pre-commit"])).toBe("COMMAND_REFUSED");
    for (const args of [
      ["diff", "--", "link/secret", "a.txt"],
      ["diff", "link/secret", "a.txt"],
      ["add", "link/secret"],
      ["commit", "-F", "link/secret"],
      ["apply", "link/secret"],
      ["init", "link/new"],
      ["grep", "-n", "outside", "link/secret"],
      ["mv", "a.txt", "link/a.txt"],
    ])
      await holds(trap, args);
    expect(existsSync(join(trap.outside, "new"))).toBe(false);
    expect(existsSync(join(trap.outside, "a.txt"))).toBe(false);
    expect((await trap.call(open, ["status"], { cwd: "link" })).code).toBe("COMMAND_REFUSED");
  });

  test("another repository's objects are not lent by links or alternates", async () => {
    for (const lend of ["objects", "refs", "objects/info/alternates"]) {
      const trap = await openRepository();
      const other = join(trap.outside, "other");
      trap.git("init", "-q", other);
      trap.write(join(other, "f"), `${SECRET}\n`);
      trap.git("-C", other, "add", ".");
      trap.git("-C", other, "commit", "-qm", SECRET);
      const hash = execFileSync("git", ["-C", other, "rev-parse", "HEAD"]).toString().trim();
      const place = join(trap.root, ".git", lend);
      if (lend.endsWith("alternates")) trap.write(place, join(other, ".git/objects"));
      else {
        rmSync(place, { recursive: true });
        symlinkSync(join(other, ".git", lend), place);
      }
      for (const args of [["log", hash], ["show", hash], ["log", "--all"], ["status"]])
        expect(await holds(trap, args), `${lend}: ${args.join(" ")}`).toBe("COMMAND_REFUSED");
    }
  });

  test("variables of git are not the model's to set, and the host's do not come through", async () => {
    const trap = await openRepository();
    process.env.GIT_EXTERNAL_DIFF = trap.canary;
    process.env.GIT_DIR = trap.outside;
    try {
      trap.write("a.txt", "changed\n");
      expect(await holds(trap, ["diff"])).toBeUndefined();
    } finally {
      delete process.env.GIT_EXTERNAL_DIFF;
      delete process.env.GIT_DIR;
    }
  });
});
