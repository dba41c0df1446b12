/** Assembles the system call filter of a sandbox: a classic BPF program, as bwrap takes it on a descriptor. */
import { syscallTable } from "./syscalls.ts";

/** What the kernel does with a call: linux/seccomp.h, with an errno in the lower half. */
const ALLOW = 0x7fff0000;
const KILL_PROCESS = 0x80000000;
const EPERM = 0x00050001;
const ENOSYS = 0x00050026;

/** Offsets in struct seccomp_data. Of an argument the lower half is loaded: both processors are little-endian. */
const NUMBER = 0;
const ARCH = 4;
const argument = (index: number) => 16 + 8 * index;

/** On x64, numbers from here on are the x32 calling convention, whose table is another one. */
const X32_BIT = 0x40000000;

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET; NEWTIME cannot be asked of clone. */
const NEW_NAMESPACE = 0x7e020000;
/** Internet and netlink; no Unix sockets by name, no vsock, no packets, no kernel crypto. socketpair stays. */
const SOCKET_FAMILIES = [2, 10, 16];
/** TIOCSTI and TIOCLINUX put input into a terminal. */
const TERMINAL_INPUT = [0x5412, 0x541c];

/** S_ISUID and S_ISGID: such a file of root's would make root of whoever runs it outside. */
const SET_ID = 0o6000;
/** O_CREAT, and what O_TMPFILE has beside O_DIRECTORY. */
const MAKES_FILE = 0o20000100;

/** One instruction: what it does, how many to skip when it is true and when not, and its number. */
interface Instruction {
  code: number;
  ifTrue: number;
  ifFalse: number;
  k: number;
}

/** Opcodes of linux/bpf_common.h: BPF_LD|W|ABS, BPF_JMP|JEQ|K, BPF_JMP|JGE|K, BPF_JMP|JSET|K, BPF_RET|K. */
const load = (k: number): Instruction => ({ code: 0x20, ifTrue: 0, ifFalse: 0, k });
const jumpEqual = (k: number, ifTrue: number, ifFalse: number): Instruction => ({ code: 0x15, ifTrue, ifFalse, k });
const jumpFrom = (k: number, ifTrue: number, ifFalse: number): Instruction => ({ code: 0x35, ifTrue, ifFalse, k });
const jumpAnyBit = (k: number, ifTrue: number, ifFalse: number): Instruction => ({ code: 0x45, ifTrue, ifFalse, k });
const answer = (k: number): Instruction => ({ code: 0x06, ifTrue: 0, ifFalse: 0, k });

/** The filter for a processor as Node names it, or undefined where its calls are not known. */
export function seccompFilter(arch: string = process.arch): Uint8Array | undefined {
  const table = syscallTable(arch);
  if (!table) return undefined;
  const { socket, clone, ioctl } = table.examined;
  return assemble([
    // A call of another convention (32 bit, for example) has other numbers: nothing here would hold for it.
    ...[load(ARCH), jumpEqual(table.audit, 1, 0), answer(KILL_PROCESS), load(NUMBER)],
    ...(arch === "x64" ? [jumpFrom(X32_BIT, 0, 1), answer(EPERM)] : []),
    ...examined(clone, 0, [jumpAnyBit(NEW_NAMESPACE, 0, 1), answer(EPERM), answer(ALLOW)]),
    ...examined(socket, 0, onlyThese(SOCKET_FAMILIES)),
    ...examined(ioctl, 1, allButThese(TERMINAL_INPUT)),
    ...table.withMode.flatMap(({ number, argument: mode }) => examined(number, mode, withoutSetId())),
    ...table.withFlagsAndMode.flatMap(({ number, argument: mode }) => {
      const ifItMakes = [jumpAnyBit(MAKES_FILE, 0, 3), load(argument(mode)), ...withoutSetId()];
      return examined(number, mode - 1, ifItMakes);
    }),
    ...table.refused.flatMap((number) => [jumpEqual(number, 0, 1), answer(EPERM)]),
    ...table.missing.flatMap((number) => [jumpEqual(number, 0, 1), answer(ENOSYS)]),
    answer(ALLOW),
  ]);
}

/** For this call, `decide` by one of its arguments; every way through `decide` ends in an answer. */
function examined(number: number, index: number, decide: Instruction[]): Instruction[] {
  return [jumpEqual(number, 0, decide.length + 1), load(argument(index)), ...decide];
}

function withoutSetId(): Instruction[] {
  return [jumpAnyBit(SET_ID, 0, 1), answer(EPERM), answer(ALLOW)];
}

function onlyThese(values: readonly number[]): Instruction[] {
  const tests = values.map((value, at) => jumpEqual(value, values.length - at, 0));
  return [...tests, answer(EPERM), answer(ALLOW)];
}

function allButThese(values: readonly number[]): Instruction[] {
  const tests = values.map((value, at) => jumpEqual(value, values.length - at, 0));
  return [...tests, answer(ALLOW), answer(EPERM)];
}

function assemble(program: readonly Instruction[]): Uint8Array {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [at, { code, ifTrue, ifFalse, k }] of program.entries()) {
    bytes.writeUInt16LE(code, at * 8);
    bytes.writeUInt8(ifTrue, at * 8 + 2);
    bytes.writeUInt8(ifFalse, at * 8 + 3);
    bytes.writeUInt32LE(k, at * 8 + 4);
  }
  return bytes;
}
