/**
 * System calls that nothing in an isolated sandbox may make, by name, with their numbers for each processor.
 * Numbers: arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h of Linux 6.18.
 */

/** x64, arm64; null where a processor has no such call. From 424 on the numbers are the same everywhere. */
type Numbers = readonly [x64: number | null, arm64: number | null];

const both = (number: number): Numbers => [number, number];

/** Answered with EPERM. */
const REFUSED: Record<string, Numbers> = {
  // Mounts and namespaces: the walls themselves.
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  unshare: [272, 97],
  setns: [308, 268],
  open_tree: both(428),
  move_mount: both(429),
  fsopen: both(430),
  fsconfig: both(431),
  fsmount: both(432),
  fspick: both(433),
  mount_setattr: both(442),
  open_tree_attr: both(467),
  // Other processes.
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: both(440),
  pidfd_getfd: both(438),
  kcmp: [312, 272],
  // Files by handle, past the mounts.
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  fanotify_init: [300, 262],
  // Parts of the kernel with a history of faults, which commands do not need.
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  // The machine itself.
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  acct: [163, 89],
  quotactl: [179, 60],
  quotactl_fd: both(443),
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  clock_adjtime: [305, 266],
  adjtimex: [159, 171],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  syslog: [103, 116],
  vhangup: [153, 58],
  iopl: [172, null],
  ioperm: [173, null],
  migrate_pages: [256, 238],
  move_pages: [279, 239],
};

/** Answered with ENOSYS, so that programs take their other way. */
const MISSING: Record<string, Numbers> = {
  // Its flags are in memory, where a filter cannot look: glibc goes back to clone, whose flags it can see.
  clone3: both(435),
  io_uring_setup: both(425),
  io_uring_enter: both(426),
  io_uring_register: both(427),
  openat2: both(437),
};

/** Give a file its mode: no set-user-id and no set-group-id. Which argument the mode is, then its numbers. */
const WITH_MODE: readonly [argument: number, numbers: Numbers][] = [
  [1, [90, null]], // chmod
  [1, [91, 52]], // fchmod
  [2, [268, 53]], // fchmodat
  [2, both(452)], // fchmodat2
  [1, [85, null]], // creat
  [1, [133, null]], // mknod
  [2, [259, 33]], // mknodat
];

/** The same, where the mode counts only when the flags, the argument before it, make a file. */
const WITH_FLAGS_AND_MODE: readonly [argument: number, numbers: Numbers][] = [
  [2, [2, null]], // open
  [3, [257, 56]], // openat
];

/** Looked at more closely. */
const EXAMINED: Record<"socket" | "clone" | "ioctl", Numbers> = {
  socket: [41, 198],
  clone: [56, 220],
  ioctl: [16, 29],
};

export interface SyscallTable {
  /** AUDIT_ARCH_* of linux/audit.h: which calling convention the numbers belong to. */
  audit: number;
  refused: readonly number[];
  missing: readonly number[];
  examined: Record<"socket" | "clone" | "ioctl", number>;
  withMode: readonly CallWithMode[];
  withFlagsAndMode: readonly CallWithMode[];
}

export interface CallWithMode {
  number: number;
  /** Which argument the mode is, from 0. */
  argument: number;
}

/** The table for a processor as Node names it, or undefined where there is none. arm64 is written, and untested. */
export function syscallTable(arch: string): SyscallTable | undefined {
  if (arch === "x64") return tableOf(0, 0xc000003e);
  if (arch === "arm64") return tableOf(1, 0xc00000b7);
  return undefined;
}

function tableOf(column: 0 | 1, audit: number): SyscallTable {
  const numbers = (calls: Record<string, Numbers>) =>
    Object.values(calls)
      .map((call) => call[column])
      .filter((number) => number !== null);
  const withModes = (calls: typeof WITH_MODE) =>
    calls.flatMap(([argument, call]) => (call[column] === null ? [] : [{ number: call[column], argument }]));
  const { socket, clone, ioctl } = EXAMINED;
  return {
    audit,
    refused: numbers(REFUSED),
    missing: numbers(MISSING),
    examined: { socket: socket[column]!, clone: clone[column]!, ioctl: ioctl[column]! },
    withMode: withModes(WITH_MODE),
    withFlagsAndMode: withModes(WITH_FLAGS_AND_MODE),
  };
}
