/** What a command can do to the kernel, to other processes and to this program: nothing. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import type { IsolationCase, Place } from "../cases.ts";

/**
 * System calls by number, for x64, with arguments that would do something: EPERM and ENOSYS are the filter's answers.
 * Only ever run inside a sandbox, whose mounts, processes and name are its own.
 */
const CALLS: Record<string, string> = {
  mount: "165, 0, 0, 0, 0, 0",
  umount2: "166, '/proc', 2",
  pivot_root: "155, '/tmp', '/tmp'",
  chroot: "161, '/tmp'",
  "unshare user": "272, 0x10000000",
  "unshare net": "272, 0x40000000",
  setns: "308, 0, 0",
  "clone user": "56, 0x10000011, 0, 0, 0, 0",
  clone3: "435, 0, 0",
  ptrace: "101, 16, 1, 0, 0",
  process_vm_readv: "310, 1, 0, 0, 0, 0, 0",
  keyctl: "250, 0, -3, 1",
  add_key: "248, 'user', 'x', 'x', 1, -3",
  bpf: "321, 0, 0, 0",
  perf_event_open: "298, 0, 0, -1, -1, 0",
  userfaultfd: "323, 0",
  io_uring_setup: "425, 1, 0",
  name_to_handle_at: "303, -100, '/', 0, 0, 0",
  open_by_handle_at: "304, -100, 0, 0",
  init_module: "175, 0, 0, ''",
  kexec_load: "246, 0, 0, 0, 0",
  reboot: "169, 0, 0, 0, 0",
  sethostname: "170, 'pwned', 5",
  settimeofday: "164, 0, 0",
  fsopen: "430, 'tmpfs', 0",
  open_tree: "428, -100, '/', 1",
  move_mount: "429, -1, '', -1, '', 0",
  pidfd_getfd: "438, 0, 0, 0",
  syslog: "103, 3, 0, 0",
  "socket AF_UNIX": "41, 1, 1, 0",
  "socket AF_VSOCK": "41, 40, 1, 0",
  "socket AF_ALG": "41, 38, 5, 0",
  "socket AF_PACKET": "41, 17, 3, 0",
  "ioctl TIOCSTI": "16, 0, 0x5412, 0",
  // The upper half of an argument is not what the kernel looks at.
  "ioctl TIOCSTI, high bits": "16, 0, 0x100005412, 0",
  "socket AF_UNIX, high bits": "41, 0x100000001, 1, 0",
  "x32 getpid": "0x40000000 + 39",
};

export const kernelCases: IsolationCase[] = [
  {
    name: "kernel: dangerous system calls are refused, and usual ones are not",
    async run(place) {
      if (process.arch !== "x64" || !(await has(place, "perl"))) return;
      const before = hostname();
      const names = Object.keys(CALLS);
      // Perl hands over only strings that could be written to.
      const tries = Object.values(CALLS).map((call) =>
        `$! = 0; syscall(${call}); print $!+0, "\\n";`.replace(/, '/g, ", $e.'"),
      );
      const numbers = (await place.said(["perl", "-e", `$| = 1; my $e = ""; ${tries.join("\n")}`])).trim().split("\n");
      assert.equal(numbers.length, names.length);
      const [EPERM, ENOSYS] = ["1", "38"];
      for (const [at, name] of names.entries()) {
        const isMissing = name === "clone3" || name.startsWith("io_uring");
        assert.equal(numbers[at], isMissing ? ENOSYS : EPERM, name);
      }
      assert.equal(hostname(), before);
      assert.equal(
        await place.said([
          "perl",
          "-e",
          "my $f = fork(); exit 0 if defined $f && $f == 0; print syscall(39) > 0, syscall(41, 2, 1, 0) > 2, $f > 0",
        ]),
        "111",
      );
    },
  },
  {
    name: "kernel: a call by the convention of another processor ends the process",
    async run(place) {
      if (process.arch !== "x64" || !(await has(place, "gcc"))) return;
      const source = 'int main(){int r;__asm__ volatile("int $0x80":"=a"(r):"a"(20));return r!=0;}';
      const result = await place.exec(`echo '${source}' > /tmp/a.c && gcc -o a /tmp/a.c && exec ./a`);
      assert.deepEqual([result.status, result.signal], ["signaled", "SIGSYS"]);
    },
  },
  {
    name: "kernel: core_pattern and the rest of /proc cannot be written",
    async run(place) {
      const pattern = readFileSync("/proc/sys/kernel/core_pattern", "utf8");
      const ways = [
        "echo '|/bin/sh' > /proc/sys/kernel/core_pattern",
        "mount -o remount,rw /proc/sys",
        "umount /proc/sys; echo x > /proc/sys/kernel/core_pattern",
        "echo h > /proc/sysrq-trigger",
        "echo 1 > /proc/sys/kernel/panic; echo 0 > /proc/sys/vm/drop_caches",
      ];
      for (const way of ways) assert.notEqual((await place.exec(`set -e; ${way}`)).exitCode, 0, way);
      assert.equal(readFileSync("/proc/sys/kernel/core_pattern", "utf8"), pattern);

      const find = "find /proc -path '/proc/[0-9]*' -prune -o -type f -writable -print 2>/dev/null";
      assert.equal(
        await place.said(`${find} | while read -r f; do (: >> "$f") 2>/dev/null && echo "$f"; done; true`),
        "",
      );
    },
  },
  {
    name: "kernel: a command has no rights, no uid of a person, and cannot get any",
    async run(place) {
      const said = await place.said("id; grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status");
      assert.match(said, /^uid=1000\(agent\) gid=1000\(agent\)/);
      assert.doesNotMatch(said, /groups=[^\n]*\b0\(/);
      for (const name of ["Inh", "Prm", "Eff", "Bnd", "Amb"]) assert.match(said, new RegExp(`Cap${name}:\\s+0+\\n`));
      assert.match(said, /NoNewPrivs:\s+1\n/);
      assert.match(said, /Seccomp:\s+2\n/);
      assert.notEqual((await place.exec("cp /usr/bin/id x && chmod 4755 x && su -c true")).exitCode, 0);
    },
  },
  {
    name: "processes: a command sees only its own, and cannot reach others",
    async run(place) {
      const { pid } = process;
      const seen = await place.said(
        `ls -d /proc/[0-9]* | wc -l; cat /proc/${pid}/environ /proc/${pid}/cmdline; kill -0 ${pid}; echo`,
      );
      assert.ok(Number.parseInt(seen, 10) < 10, seen);
      assert.match(seen, /No such (file|process)/);
      await place.exec("kill -9 -1; kill -9 1");
      process.kill(pid, 0);
      const result = await place.exec("kill -9 1; kill -TERM 1; echo still here; kill -9 -1; echo after");
      assert.deepEqual([result.status, Buffer.from(result.stdout).toString()], ["exited", "still here\nafter\n"]);
    },
  },
  {
    name: "processes: whatever it does, a tree is dead on return",
    async run(place) {
      const tick = "while :; do echo t >> ticks; sleep 0.02; done";
      const ways = [
        [`env -i setsid bash -c 'trap "" TERM HUP INT; ${tick}' > /dev/null 2>&1 & sleep 0.3`, 60_000],
        [`( ( setsid nohup bash -c '${tick}' & ) & ) > /dev/null 2>&1; sleep 0.3`, 60_000],
        [`trap '' TERM; env -i setsid bash -c 'trap "" TERM HUP INT; ${tick}' & ${tick}`, 400],
      ] as const;
      for (const [command, timeoutMs] of ways) {
        const result = await place.exec(command, { timeoutMs });
        const { size } = await place.sandbox.stat("ticks");
        await new Promise((resolve) => setTimeout(resolve, 200));
        assert.ok(size > 0, command);
        assert.equal((await place.sandbox.stat("ticks")).size, size, command);
        assert.equal(result.status, timeoutMs < 1000 ? "timeout" : "exited");
        await place.sandbox.remove("ticks");
      }
    },
  },
  {
    name: "processes: a command that runs out of time may clean up",
    async run(place) {
      const result = await place.exec("trap 'echo cleaned; exit 3' TERM; echo begun; sleep 300 & wait", {
        timeoutMs: 700,
      });
      assert.deepEqual([result.status, Buffer.from(result.stdout).toString()], ["timeout", "begun\ncleaned\n"]);
    },
  },
  {
    name: "environment: only what was given, and not among the arguments of a process of the host",
    options: { env: { GIVEN: "for-all" } },
    async run(place) {
      process.env.HAFT_CANARY = "canary-value";
      const said = await place.said("env; cat /proc/1/environ", { env: { SECRET: "s3cr3t-value" } });
      delete process.env.HAFT_CANARY;
      assert.doesNotMatch(said, /canary/i);
      const names = said
        .split("\n")
        .map((line) => line.split("=")[0])
        .filter((name) => /^[A-Z_]+$/.test(name!));
      const known = [
        "GIVEN",
        "SECRET",
        "PATH",
        "HOME",
        "USER",
        "LOGNAME",
        "LANG",
        "TMPDIR",
        "TERM",
        "PAGER",
        "GIT_PAGER",
      ];
      assert.deepEqual(
        names.filter((name) => ![...known, "GIT_TERMINAL_PROMPT", "NO_COLOR", "PWD", "SHLVL", "_"].includes(name!)),
        [],
      );

      const handle = await place.sandbox.start("read -r line", { env: { SECRET: "s3cr3t-value" } });
      await handle.write(Buffer.from("x"));
      const { execFileSync } = await import("node:child_process");
      assert.doesNotMatch(execFileSync("ps", ["axww", "-o", "args"]).toString(), /s3cr3t-value/);
      await handle.kill();
    },
  },
  {
    name: "descriptors: a command has three, whatever this program has open",
    async run(place) {
      assert.equal(await place.said(["ls", "/proc/self/fd"]), "0\n1\n2\n3\n");
      assert.equal(await place.said("exec 9< /dev/null; ls /proc/self/fd | wc -l"), "5\n");
    },
  },
];

async function has(place: Place, program: string): Promise<boolean> {
  return (await place.exec(`command -v ${program}`)).exitCode === 0;
}
