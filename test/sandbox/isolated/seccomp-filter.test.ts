import { describe, expect, test } from "vitest";
import { seccompFilter } from "../../../src/sandbox/isolated/seccomp-filter.ts";

const [ALLOW, KILL, EPERM, ENOSYS] = [0x7fff0000, 0x80000000, 0x00050001, 0x00050026];

/** What the kernel would do, by the few instructions that the filter is made of. */
function verdict(filter: Uint8Array, arch: number, number: number, args: bigint[] = []): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number, 0);
  data.writeUInt32LE(arch, 4);
  for (const [at, value] of args.entries()) data.writeBigUInt64LE(value, 16 + 8 * at);
  const program = Buffer.from(filter);
  let accumulator = 0;
  for (let at = 0; at < program.length; at += 8) {
    const k = program.readUInt32LE(at + 4);
    const jump = (isTrue: boolean) => {
      at += 8 * program[at + (isTrue ? 2 : 3)]!;
    };
    const code = program.readUInt16LE(at);
    if (code === 0x20) accumulator = data.readUInt32LE(k);
    else if (code === 0x15) jump(accumulator === k);
    else if (code === 0x35) jump(accumulator >= k);
    else if (code === 0x45) jump((accumulator & k) !== 0);
    else if (code === 0x06) return k;
    else throw new Error(`no such instruction: ${code}`);
  }
  throw new Error("the program has no end");
}

/** On arm64 it is only calculated, never run. */
describe.each([
  { arch: "x64", audit: 0xc000003e, socket: 41, clone: 56, mount: 165, read: 0, ioctl: 16 },
  { arch: "arm64", audit: 0xc00000b7, socket: 198, clone: 220, mount: 40, read: 63, ioctl: 29 },
])("the filter for $arch", ({ arch, audit, socket, clone, mount, read, ioctl }) => {
  const filter = seccompFilter(arch)!;
  const says = (number: number, ...args: bigint[]) => verdict(filter, audit, number, args);

  test("refuses, answers that there is no such call, kills, and allows the rest", () => {
    expect(says(mount)).toBe(EPERM);
    expect([says(435), says(425)]).toEqual([ENOSYS, ENOSYS]);
    expect(says(read)).toBe(ALLOW);
    expect(verdict(filter, 0x40000003, read)).toBe(KILL);
  });

  test("looks at the arguments of three calls, as the kernel does: at their lower half", () => {
    expect([2n, 10n, 16n].map((family) => says(socket, family))).toEqual([ALLOW, ALLOW, ALLOW]);
    expect([1n, 17n, 38n, 40n, (1n << 32n) + 1n].map((family) => says(socket, family))).toEqual(Array(5).fill(EPERM));
    expect(says(clone, 0x11n)).toBe(ALLOW);
    for (const flag of [0x20000n, 0x2000000n, 0x4000000n, 0x8000000n, 0x10000000n, 0x20000000n, 0x40000000n]) {
      expect(says(clone, flag | 0x11n)).toBe(EPERM);
    }
    expect([0x5412n, 0x541cn, 0x100005412n].map((request) => says(ioctl, 1n, request))).toEqual(Array(3).fill(EPERM));
    expect(says(ioctl, 1n, 0x5401n)).toBe(ALLOW);
  });

  test("lets no file have a set-user-id or set-group-id mode, and every other mode", () => {
    const [fchmod, openat] = arch === "x64" ? [91, 257] : [52, 56];
    const creates = 0o101n;
    expect([0o4755n, 0o2755n, 0o6000n].map((mode) => says(fchmod, 3n, mode))).toEqual([EPERM, EPERM, EPERM]);
    expect([0o755n, 0o1777n].map((mode) => says(fchmod, 3n, mode))).toEqual([ALLOW, ALLOW]);
    expect([creates, 0o20200001n].map((flags) => says(openat, 3n, 0n, flags, 0o4755n))).toEqual([EPERM, EPERM]);
    expect(says(openat, 3n, 0n, creates, 0o644n)).toBe(ALLOW);
    // Without a file to make, what is in the place of the mode means nothing.
    expect(says(openat, 3n, 0n, 0n, 0o4755n)).toBe(ALLOW);
    expect(says(437)).toBe(ENOSYS);
  });
});

test("a processor whose calls are not known has no filter", () => {
  expect(seccompFilter("riscv64")).toBeUndefined();
});
