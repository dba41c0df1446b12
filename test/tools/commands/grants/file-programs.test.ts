/** tar, find and rg: attempts that do not get through, and ordinary uses that work. */
import { execFileSync } from "node:child_process";
import { existsSync, linkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openTrap, readOutside, SECRET, type Trap } from "./helpers.ts";

async function openFiles(): Promise<Trap> {
  const trap = await openTrap();
  trap.write("a.txt", "hello one\n");
  trap.write("src/b.ts", "export const two = 2;\n");
  trap.write("src/deep/c.ts", "hello three\n");
  execFileSync("tar", ["-czf", "given.tgz", "a.txt", "src"], { cwd: trap.root });
  symlinkSync(trap.outside, join(trap.root, "link"));
  return trap;
}

async function allRefused(trap: Trap, command: string, attempts: string[][]): Promise<void> {
  const passed: string[] = [];
  for (const args of attempts) {
    const { code, text } = await trap.call({ command }, args);
    expect(trap.ran(), `${args.join(" ")}: the canary ran`).toBe(false);
    expect(text, args.join(" ")).not.toContain(SECRET);
    if (code !== "COMMAND_REFUSED") passed.push(`${args.join(" ")}: ${text}`);
  }
  expect(passed).toEqual([]);
  expect(readOutside(trap)).toBe(`${SECRET}\n`);
}

async function allWork(trap: Trap, command: string, uses: string[][]): Promise<void> {
  const failed: string[] = [];
  for (const args of uses) {
    const { code, text } = await trap.call({ command }, args);
    if (code || !text.includes("[exit 0, ")) failed.push(`${args.join(" ")}: ${text}`);
  }
  expect(failed).toEqual([]);
}

describe("tar", () => {
  test("attempts", async () => {
    const trap = await openFiles();
    const { canary, outside } = trap;
    await allRefused(trap, "tar", [
      ["-xf", "given.tgz", `--to-command=${canary}`],
      ["-xf", "given.tgz", "--to-command", canary],
      ["-xf", "given.tgz", `--to-c=${canary}`],
      ["-cf", "x.tar", "--checkpoint=1", `--checkpoint-action=exec=${canary}`, "a.txt"],
      ["-cf", "x.tar", "--checkpoint=1", "--checkpoint-action", `exec=${canary}`, "a.txt"],
      ["-cf", "x.tar", `-I${canary}`, "a.txt"],
      ["-cf", "x.tar", "-I", canary, "a.txt"],
      ["-vcI", canary, "-f", "x.tar", "a.txt"],
      ["-cf", "x.tar", `--use-compress-program=${canary}`, "a.txt"],
      ["-cf", "x.tar", `--use-comp=${canary}`, "a.txt"],
      ["-cf", "host:x.tar", `--rsh-command=${canary}`, "a.txt"],
      ["-cf", "host:x.tar", `--rmt-command=${canary}`, "a.txt"],
      ["-cMf", "x.tar", "-L1", "-F", canary, "a.txt"],
      ["-cf", "x.tar", `--info-script=${canary}`, "a.txt"],
      ["-cf", "x.tar", `--new-volume-script=${canary}`, "a.txt"],
      ["-cf", "x.tar", `${outside}/secret`],
      ["-cf", "x.tar", "-P", `${outside}/secret`],
      ["-cf", "x.tar", "../outside/secret"],
      ["-cf", "x.tar", "src/../../outside"],
      ["-cf", "x.tar", "link/secret"],
      ["-cf", "x.tar", "-C", outside, "secret"],
      ["-cf", "x.tar", `--directory=${outside}`, "secret"],
      ["-cf", "x.tar", "-C", "link", "secret"],
      ["-cf", "x.tar", "-C", "src", "../../outside/secret"],
      ["-cf", "x.tar", "-C", "src", "-C", "../..", "outside/secret"],
      ["-chf", "x.tar", "link"],
      ["-cf", "x.tar", "--dereference", "link"],
      ["-cf", "x.tar", "-T", `${outside}/secret`],
      ["-cf", "x.tar", `--files-from=${outside}/secret`],
      ["-cf", "x.tar", "--files-from", "a.txt"],
      ["-cf", "x.tar", "-X", `${outside}/secret`, "a.txt"],
      ["-cf", "x.tar", `--exclude-from=${outside}/secret`, "a.txt"],
      ["-cf", `${outside}/x.tar`, "a.txt"],
      ["-cf", "../outside/secret", "a.txt"],
      ["-cf", "link/secret", "a.txt"],
      ["cf", "link/secret", "a.txt"],
      ["fc", "x.tar", "a.txt"],
      ["xfC", "given.tgz", "link"],
      ["cIf", canary, "x.tar", "a.txt"],
      ["-cf", "x.tar", "--remove-files", "a.txt"],
      ["-cf", "x.tar", "-g", `${outside}/secret`, "a.txt"],
      ["-cf", "x.tar", `--index-file=${outside}/secret`, "-v", "a.txt"],
      ["-xf", "given.tgz", "-C", outside],
      ["-xf", "given.tgz", "-C", "link"],
      ["-xf", "given.tgz", "-P"],
      ["-xf", "given.tgz", "--overwrite"],
      ["-xf", "given.tgz", "--keep-directory-symlink"],
      ["-xf", "given.tgz", "--transform=s,^,../outside/,"],
      ["-xf", "given.tgz", "--one-top-level=../outside"],
      ["-xf", `${outside}/secret`],
      ["-xf", "-"],
      ["-x"],
      ["-xf", "given.tgz", "-f", "given.tgz"],
      ["-xf", "given.tgz", "--strip-components=-1"],
      ["-Af", "given.tgz", "given.tgz"],
      ["--delete", "-f", "given.tgz", "a.txt"],
      [`-tf`, "given.tgz", `--to-command=${canary}`],
      ["-tf", "/dev/stdin", "--use-compress-program=sh"],
      [],
    ]);
    expect(existsSync(join(outside, "a.txt"))).toBe(false);
    expect(existsSync(join(outside, "x.tar"))).toBe(false);
  }, 60_000);

  test("archives that would write outside", async () => {
    const trap = await openFiles();
    const { root, outside } = trap;
    const tar = (...args: string[]) => execFileSync("tar", args, { cwd: root, stdio: "ignore" });
    trap.write("evil", "overwritten\n");
    tar("-cPf", "absolute.tar", "--transform", `s,^evil,${outside}/secret,`, "evil");
    tar("-cPf", "up.tar", "--transform", "s,^evil,../outside/secret,", "evil");
    tar("-cf", "through.tar", "--transform", "s,^evil,link/secret,", "evil");
    tar("-cf", "strip.tar", "--transform", "s,^evil,x/link/secret,", "evil");
    writeFileSync(join(root, "one"), "1");
    linkSync(join(root, "one"), join(root, "two"));
    tar("-cPf", "hard.tar", "--transform", `s,^one,${outside}/secret,RHS`, "one", "two");
    tar("-cf", "links.tar", "link");
    tar("-cf", "hooks.tar", "--transform", "s,^evil,.git/hooks/pre-commit,", "evil");
    tar("-cf", "plain.tar", "evil");
    trap.write(".git/hooks/x", "");
    symlinkSync(".git/hooks", join(root, "inner"));
    await allRefused(trap, "tar", [
      ["-xf", "absolute.tar"],
      ["-xf", "up.tar"],
      ["-xf", "through.tar"],
      ["xvf", "through.tar"],
      ["-xf", "strip.tar", "--strip-components=1"],
      ["-xf", "hard.tar"],
      ["-xf", "hooks.tar"],
      ["-xf", "plain.tar", "-C", ".git/hooks"],
      ["-xf", "plain.tar", "-C", "inner"],
    ]);
    // The trap is a real one: without a grant, it does write through the link.
    trap.write("there/x", "");
    symlinkSync(join(root, "there"), join(root, "src/link"));
    execFileSync("tar", ["-xf", "through.tar", "-C", "src"], { cwd: root });
    expect(existsSync(join(root, "there/secret"))).toBe(true);
    // A link may be unpacked; what then goes through it may not.
    trap.write("fresh/.keep", "");
    await allWork(trap, "tar", [["-xf", "links.tar", "-C", "fresh"]]);
    await allRefused(trap, "tar", [["-xf", "through.tar", "-C", "fresh"]]);
  });

  test("TAR_OPTIONS of the sandbox are not read", async () => {
    const trap = await openFiles();
    trap.bare("tar", ["-cf", "x.tar", "a.txt"], {
      TAR_OPTIONS: `--checkpoint=1 --checkpoint-action=exec=${trap.canary}`,
    });
    expect(trap.ran()).toBe(true);
    trap.reset();
    process.env.TAR_OPTIONS = `--checkpoint=1 --checkpoint-action=exec=${trap.canary}`;
    try {
      await allWork(trap, "tar", [["-cf", "x.tar", "a.txt"]]);
    } finally {
      delete process.env.TAR_OPTIONS;
    }
    expect(trap.ran()).toBe(false);
  });

  test("uses", async () => {
    const trap = await openFiles();
    trap.write("out/.keep", "");
    await allWork(trap, "tar", [
      ["-tf", "given.tgz"],
      ["tzvf", "given.tgz"],
      ["-tzf", "given.tgz", "--wildcards", "*.ts"],
      ["-czf", "made.tgz", "a.txt", "src"],
      ["czf", "made.tgz", "src"],
      ["-cJf", "made.txz", "--exclude=deep", "src"],
      ["--create", "--file=made.tar", "--directory=src", "b.ts"],
      ["-cf", "made.tar", "-C", "src", "."],
      ["-xf", "given.tgz", "-C", "out"],
      ["xzf", "given.tgz", "-C", "out", "a.txt"],
      ["-xzvf", "given.tgz", "-C", "out", "--strip-components=1"],
      ["-xf", "given.tgz"],
      ["-xOf", "given.tgz", "a.txt"],
    ]);
    expect(existsSync(join(trap.root, "out/src/deep/c.ts"))).toBe(true);
  });
});

describe("find", () => {
  test("attempts", async () => {
    const trap = await openFiles();
    const { canary, outside } = trap;
    await allRefused(trap, "find", [
      [".", "-exec", canary, ";"],
      [".", "-exec", canary, "{}", "+"],
      [".", "-execdir", canary, ";"],
      [".", "-ok", canary, ";"],
      [".", "-okdir", canary, ";"],
      [".", "-delete"],
      [".", "-name", "a.txt", "-delete"],
      [".", "-name", "-exec", "-exec", canary, ";"],
      [".", "-fprint", `${outside}/secret`],
      [".", "-fprint0", "x"],
      [".", "-fprintf", `${outside}/secret`, "x"],
      [".", "-fls", `${outside}/secret`],
      ["-files0-from", `${outside}/secret`],
      ["-files0-from", "a.txt", "-print"],
      [outside],
      ["/"],
      [".."],
      ["../outside", "-name", "secret"],
      ["src/../../outside"],
      ["link/"],
      ["link"],
      ["-L", "."],
      [".", "-follow"],
      [".", "-newer", `${outside}/secret`],
      [".", "-samefile", "link/secret"],
      ["-D", "exec", "."],
      ["-O3", "."],
      ["--", outside],
      ["-f", outside],
    ]);
    expect(existsSync(join(trap.root, "a.txt"))).toBe(true);
  });

  test("uses", async () => {
    const trap = await openFiles();
    await allWork(trap, "find", [
      [],
      ["."],
      [".", "-name", "*.ts"],
      [".", "-type", "f", "-not", "-path", "*/node_modules/*"],
      ["src", "-maxdepth", "1", "-type", "f", "-print0"],
      [".", "(", "-name", "*.ts", "-o", "-name", "*.txt", ")", "-size", "-10k", "-mtime", "-7"],
      [".", "!", "-name", "a.txt", "-ls"],
      [".", "-newer", "a.txt"],
      [".", "-name", "deep", "-prune", "-o", "-type", "f", "-print"],
      [".", "-printf", "%s %p\n"],
      [".", "-regex", ".*\\.ts", "-quit"],
      [trap.root, "-empty"],
    ]);
    expect((await trap.call({ command: "find" }, ["."])).text).not.toContain("secret");
  });
});

describe("rg", () => {
  test("attempts", async () => {
    const trap = await openFiles();
    const { canary, outside } = trap;
    await allRefused(trap, "rg", [
      ["--pre", canary, "hello"],
      [`--pre=${canary}`, "hello"],
      ["--pre-glob", "*", "--pre", canary, "hello"],
      [`--hostname-bin=${canary}`, "--hyperlink-format=x", "hello"],
      ["--hostname-bin", canary, "hello"],
      ["-z", "hello"],
      ["--search-zip", "hello"],
      ["-nz", "hello"],
      ["-f", `${outside}/secret`],
      [`--file=${outside}/secret`],
      ["-f", "link/secret", "."],
      ["-f../outside/secret"],
      [`-f=${outside}/secret`],
      [`-nf=../outside/secret`],
      ["--ignore-file", `${outside}/secret`, "x"],
      ["outside", outside],
      ["outside", ".."],
      ["outside", "link"],
      ["outside", "link/secret"],
      ["-e", "outside", outside],
      ["--regexp=outside", "../outside"],
      ["--files", outside],
      ["--files", ".."],
      ["--", "outside", outside],
      ["-L", "outside"],
      ["--follow", "outside"],
      ["-uuL", "outside"],
      ["--debug", "x"],
      ["--type-add", "x:include:all", "x"],
    ]);
  });

  test("settings and links", async () => {
    const trap = await openFiles();
    trap.write("rgrc", `--pre=${trap.canary}\n--follow\n`);
    trap.bare("rg", ["hello"], { RIPGREP_CONFIG_PATH: join(trap.root, "rgrc") });
    expect(trap.ran()).toBe(true);
    trap.reset();
    process.env.RIPGREP_CONFIG_PATH = join(trap.root, "rgrc");
    try {
      const { text } = await trap.call({ command: "rg" }, ["outside"]);
      expect(text).not.toContain(SECRET);
    } finally {
      delete process.env.RIPGREP_CONFIG_PATH;
    }
    expect(trap.ran()).toBe(false);
  });

  test("uses", async () => {
    const trap = await openFiles();
    await allWork(trap, "rg", [
      ["hello"],
      ["-n", "hello", "src"],
      ["-in", "HELLO", "-g", "*.txt"],
      ["-tts", "-l", "two"],
      ["--type", "ts", "-C2", "two", "src"],
      ["-A", "1", "-B1", "-m", "2", "hello", "a.txt"],
      ["--files"],
      ["--files", "src", "-g", "!deep"],
      ["-e", "hello", "-e", "two", "src"],
      ["-c", "hello", "--sort", "path"],
      ["-F", "--json", "hello"],
      ["-uu", "--hidden", "hello", "."],
      ["-o", "h\\w+", "-r", "x", "a.txt"],
      ["--", "hello", "src"],
      ["--version"],
    ]);
  });
});
