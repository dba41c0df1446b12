/** Ordinary uses of git, which all work. */
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openRepository, openTrap } from "./helpers.ts";

const uses: string[][] = [
  ["status"],
  ["status", "--short", "--branch"],
  ["status", "-sb"],
  ["status", "--porcelain=v2", "-uno"],
  ["log"],
  ["log", "--oneline", "-5"],
  ["log", "-n", "3", "--format=%h %s"],
  ["log", "-n3", "--pretty=oneline", "--graph", "--all", "--decorate"],
  ["log", "-p", "--stat", "--since", "2 weeks ago", "--", "a.txt"],
  ["log", "--follow", "a.txt"],
  ["log", "main..other", "--author=A"],
  ["log", "-S", "more", "--name-only"],
  ["--no-pager", "log", "-1"],
  ["show"],
  ["show", "HEAD~1:a.txt"],
  ["show", "--stat", "HEAD"],
  ["diff"],
  ["diff", "HEAD~1"],
  ["diff", "HEAD~1", "HEAD", "--stat"],
  ["diff", "--cached", "--name-status"],
  ["diff", "other...main", "--", "a.txt", "src"],
  ["diff", "-U0", "-w", "HEAD~1", "--", "a.txt"],
  ["blame", "-L", "1,1", "a.txt"],
  ["grep", "-n", "more"],
  ["grep", "-inE", "-e", "m.re", "--", "*.txt"],
  ["rev-parse", "HEAD"],
  ["rev-parse", "--abbrev-ref", "HEAD"],
  ["rev-parse", "--short", "HEAD"],
  ["ls-files"],
  ["ls-tree", "-r", "--name-only", "HEAD"],
  ["cat-file", "-p", "HEAD"],
  ["describe", "--always"],
  ["merge-base", "main", "other"],
  ["rev-list", "--count", "HEAD"],
  ["shortlog", "-sn", "HEAD"],
  ["for-each-ref", "--sort=-committerdate", "--format=%(refname:short)"],
  ["reflog", "-3"],
  ["remote", "-v"],
  ["--version"],
  ["branch"],
  ["branch", "-a", "-vv"],
  ["branch", "--show-current"],
  ["branch", "topic"],
  ["branch", "-d", "topic"],
  ["tag", "-a", "v1", "-m", "one"],
  ["tag", "-l"],
  ["checkout", "-b", "work"],
  ["switch", "main"],
  ["switch", "-c", "more", "HEAD~1"],
  ["switch", "-"],
  ["stash", "list"],
];

describe("git", () => {
  test("looks, and changes what is in the repository", async () => {
    const { call, ran } = await openRepository();
    const refusals: string[] = [];
    for (const args of uses) {
      const { code, text } = await call({ command: "git" }, args);
      if (code || !/\[exit 0, /.test(text)) refusals.push(`${args.join(" ")}: ${text}`);
    }
    expect(refusals).toEqual([]);
    expect(ran()).toBe(false);
  }, 60_000);

  test("a day of work: add, commit, stash, merge, rebase, cherry-pick, revert, restore, reset, apply, clean", async () => {
    const trap = await openRepository();
    const git = async (...args: string[]) => {
      const { code, text } = await trap.call({ command: "git" }, args);
      expect(code, `${args.join(" ")}: ${text}`).toBeUndefined();
      expect(text, args.join(" ")).toMatch(/\[exit 0, /);
      return text;
    };
    trap.write("new.txt", "new\n");
    await git("add", "-A");
    await git("commit", "-m", "add new");
    trap.write("new.txt", "newer\n");
    await git("stash");
    await git("stash", "pop");
    trap.write("change.patch", await git("diff").then((text) => text.replace(/\n\[exit.*$/, "\n")));
    await git("restore", "new.txt");
    await git("apply", "--check", "change.patch");
    await git("apply", "change.patch");
    expect(await readFile(join(trap.root, "new.txt"), "utf8")).toBe("newer\n");
    await git("commit", "-am", "newer");
    await git("switch", "-q", "other");
    trap.write("other.txt", "x\n");
    await git("add", "other.txt");
    await git("commit", "--message=other");
    await git("rebase", "main");
    await git("switch", "main");
    await git("merge", "--no-ff", "other");
    await git("revert", "--no-edit", "-m", "1", "HEAD");
    await git("reset", "--hard", "HEAD~1");
    await git("cherry-pick", "-n", "HEAD^2~1").catch(() => undefined);
    await git("reset", "--hard");
    await git("mv", "a.txt", "b.txt");
    await git("rm", "-q", "--cached", "src/b.txt");
    await git("clean", "-n");
    await git("commit", "--amend", "--no-edit");
    expect(await git("log", "--oneline", "-1")).toContain("Merge branch 'other'");
  }, 60_000);

  test("settings that our own are stronger than do not stop it", async () => {
    const trap = await openRepository();
    for (const [key, value] of [
      ["core.hooksPath", ".husky"],
      ["core.editor", "vim"],
      ["pull.rebase", "true"],
      ["branch.main.remote", "origin"],
      ["credential.helper", "store"],
    ] as const)
      trap.git("config", key, value);
    trap.write("a.txt", "again\n");
    expect((await trap.call({ command: "git" }, ["commit", "-am", "x"])).text).toContain("[exit 0, ");
  });

  test("clone, fetch, pull and ls-remote from a host that is granted, and from no other", async () => {
    const there = await openRepository();
    there.git("update-server-info");
    const server = createServer((request, response) => {
      const file = join(there.root, decodeURI(new URL(request.url!, "http://x").pathname));
      readFile(file).then(
        (content) => response.end(content),
        () => response.writeHead(404).end(),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/.git`;

    const here = await openTrap();
    const granted = { command: "git", network: ["127.0.0.1"] };
    expect((await here.call(granted, ["clone", "-q", url, "copy"])).text).toContain("[exit 0, ");
    for (const args of [
      ["fetch"],
      ["fetch", "origin"],
      ["ls-remote", "origin"],
      ["pull", "--ff-only"],
      ["fetch", "--all", "--prune"],
    ])
      expect((await here.call(granted, args, { cwd: "copy" })).text, args.join(" ")).toContain("[exit 0, ");

    const other = { command: "git", network: ["example.com"] };
    expect((await here.call(other, ["clone", url])).code).toBe("COMMAND_REFUSED");
    expect((await here.call(other, ["fetch"], { cwd: "copy" })).code).toBe("COMMAND_REFUSED");
    const closed = await here.call({ command: "git" }, ["fetch"], { cwd: "copy" });
    expect(closed.code).toBe("COMMAND_REFUSED");
    expect(closed.text).toContain('"fetch": it is no subcommand that is granted');
  });
});
