/*
 * Asks the kernel for everything that a sandbox must not give, each in a process of its own, and prints NAME=allowed or
 * NAME=refused. It only opens and asks: nothing is written, loaded or attached to. It runs nowhere but in mount, pid and
 * uts namespaces other than the host's, which it is told.
 *
 * Usage: probe <host mnt> <host pid> <host uts> <pid of a host process> <a Unix socket> <the name of an abstract one>
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t host_pid;
static const char *socket_path, *abstract_name;

/* True when the answer shows that nobody stood in the way, though the question made no sense. */
static int unless_refused(long result) {
  return result >= 0 || (errno != EPERM && errno != EACCES && errno != ENOSYS);
}

static int opens(const char *path, int flags) { return open(path, flags | O_CLOEXEC) >= 0; }

static int connects(const char *name, int is_abstract) {
  struct sockaddr_un to = {.sun_family = AF_UNIX};
  size_t length = strlen(name);
  if (length + 2 > sizeof to.sun_path) return 0;
  memcpy(to.sun_path + is_abstract, name, length);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  return fd >= 0 && connect(fd, (void *)&to, offsetof(struct sockaddr_un, sun_path) + is_abstract + length) == 0;
}

static int enters(const char *kind) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/ns/%s", host_pid, kind);
  int fd = open(path, O_RDONLY);
  return fd >= 0 && setns(fd, 0) == 0;
}

static int socket_unix(void) { return socket(AF_UNIX, SOCK_STREAM, 0) >= 0; }
static int connect_unix(void) { return connects(socket_path, 0); }
static int connect_abstract(void) { return connects(abstract_name, 1); }
static int socket_packet(void) { return socket(AF_PACKET, SOCK_RAW, 0) >= 0; }
static int socket_raw(void) { return socket(AF_INET, SOCK_RAW, 1) >= 0; }
static int socket_vsock(void) { return socket(40, SOCK_STREAM, 0) >= 0; }
static int socket_alg(void) { return socket(38, SOCK_SEQPACKET, 0) >= 0; }
static int io_uring(void) {
  char params[120] = {0};
  return syscall(425, 1, params) >= 0;
}
static int ptrace_host(void) { return ptrace(PTRACE_SEIZE, host_pid, 0, 0) == 0; }
static int read_host_memory(void) {
  char byte;
  struct iovec here = {&byte, 1}, there = {(void *)0x400000, 1};
  return process_vm_readv(host_pid, &here, 1, &there, 1, 0) >= 0 || errno == EFAULT;
}
static int unshare_user(void) { return unshare(CLONE_NEWUSER) == 0; }
static int unshare_mount(void) { return unshare(CLONE_NEWNS) == 0; }
static int unshare_net(void) { return unshare(CLONE_NEWNET) == 0; }
static int unshare_user_mount(void) { return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0; }
static int clone_user(void) {
  long pid = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
  if (pid == 0) _exit(0);
  return pid > 0;
}
static int clone3_user(void) {
  uint64_t args[11] = {CLONE_NEWUSER, 0, 0, 0, SIGCHLD};
  long pid = syscall(435, args, 64);
  if (pid == 0) _exit(0);
  return pid > 0;
}
static int mount_tmpfs(void) { return mount("none", "/tmp", "tmpfs", 0, 0) == 0; }
static int new_mount_api(void) { return syscall(430, "tmpfs", 0) >= 0; }
static int clone_tree(void) { return syscall(428, AT_FDCWD, "/", 1) >= 0; }
static int unmount_lazily(void) { return umount2("/tmp", MNT_DETACH) == 0; }
static int remount_writable(void) { return mount(0, "/usr", 0, MS_REMOUNT | MS_BIND, 0) == 0; }
static int pivot(void) { return unless_refused(syscall(SYS_pivot_root, "/nowhere", "/nowhere")); }
static int change_root(void) { return chroot("/") == 0; }
static int enter_host_mount(void) { return enters("mnt"); }
static int enter_host_user(void) { return enters("user"); }
static int enter_host_net(void) { return enters("net"); }
static int make_disk(void) {
  int made = mknod("probe-disk", S_IFBLK | 0600, makedev(254, 0)) == 0;
  int is_open = made && opens("probe-disk", O_RDONLY);
  unlink("probe-disk");
  return is_open;
}
static int open_disk(void) { return opens("/dev/vda", O_RDONLY) || opens("/dev/sda", O_RDONLY) || opens("/dev/nvme0n1", O_RDONLY); }
static int open_memory(void) { return opens("/dev/mem", O_RDONLY) || opens("/proc/kcore", O_RDONLY); }
static int open_kernel_log(void) { return opens("/dev/kmsg", O_RDONLY) || opens("/proc/kmsg", O_RDONLY | O_NONBLOCK); }
static int open_kvm(void) { return opens("/dev/kvm", O_RDWR); }
static int open_fuse(void) { return opens("/dev/fuse", O_RDWR); }
static int open_tun(void) { return opens("/dev/net/tun", O_RDWR); }
static int core_pattern(void) { return opens("/proc/sys/kernel/core_pattern", O_WRONLY); }
static int modprobe_path(void) { return opens("/proc/sys/kernel/modprobe", O_WRONLY); }
static int sysrq(void) { return opens("/proc/sysrq-trigger", O_WRONLY); }
static int uevent_helper(void) { return opens("/sys/kernel/uevent_helper", O_WRONLY); }
static int by_handle(void) {
  union {
    struct file_handle handle;
    char space[sizeof(struct file_handle) + 128];
  } room;
  room.handle.handle_bytes = 128;
  int mount_id;
  if (name_to_handle_at(AT_FDCWD, ".", &room.handle, &mount_id, 0) != 0) return 0;
  int folder = open(".", O_RDONLY | O_DIRECTORY);
  return folder >= 0 && open_by_handle_at(folder, &room.handle, O_RDONLY) >= 0;
}
static int bpf_map(void) {
  union bpf_attr attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.map_type = BPF_MAP_TYPE_ARRAY;
  attributes.key_size = attributes.value_size = 4;
  attributes.max_entries = 1;
  return syscall(SYS_bpf, BPF_MAP_CREATE, &attributes, sizeof attributes) >= 0;
}
static int perf(void) {
  struct perf_event_attr event = {.type = PERF_TYPE_SOFTWARE, .size = sizeof event, .config = PERF_COUNT_SW_CPU_CLOCK};
  return syscall(SYS_perf_event_open, &event, 0, -1, -1, 0) >= 0;
}
static int userfault(void) { return syscall(SYS_userfaultfd, 0) >= 0; }
static int read_keyring(void) { return syscall(SYS_keyctl, 0, -4, 0) >= 0; }
static int add_a_key(void) { return syscall(SYS_add_key, "user", "haft-probe", "x", 1, -2) >= 0; }
static int load_module(void) { return unless_refused(syscall(SYS_init_module, 0, 0, "")); }
static int load_kernel(void) { return unless_refused(syscall(SYS_kexec_load, 0, 0, 0, 0xffff)); }
static int kernel_messages(void) {
  char text[64];
  return syscall(SYS_syslog, 3, text, sizeof text) >= 0;
}
static int type_for_others(void) {
  setsid();
  int master = posix_openpt(O_RDWR | O_NOCTTY);
  if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) return 0;
  int slave = open(ptsname(master), O_RDWR);
  return slave >= 0 && ioctl(slave, TIOCSTI, "x") == 0;
}
static int host_name(void) {
  char name[256];
  return gethostname(name, sizeof name) == 0 && sethostname(name, strlen(name)) == 0;
}
static int set_clock(void) { return syscall(SYS_settimeofday, 0, 0) == 0; }
static int swap_on(void) { return unless_refused(syscall(SYS_swapon, "/nowhere", 0)); }
static int raise_priority(void) { return setpriority(0, 0, -10) == 0; }

#ifdef __x86_64__
/* A filter that looks at numbers only is passed by the two other tables of numbers that this processor has. */
static int x32_unshare(void) { return syscall(0x40000000 + SYS_unshare, CLONE_NEWUSER) == 0; }
static int int80_unshare(void) {
  long result;
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(310L), "b"((long)CLONE_NEWUSER) : "memory", "r8", "r9", "r10", "r11");
  return (int)result == 0;
}
#endif

static const struct {
  const char *name;
  int (*ask)(void);
} questions[] = {
#define ASK(name) {#name, name}
    ASK(socket_unix), ASK(connect_unix), ASK(connect_abstract), ASK(socket_packet), ASK(socket_raw), ASK(socket_vsock),
    ASK(socket_alg), ASK(io_uring), ASK(ptrace_host), ASK(read_host_memory), ASK(unshare_user), ASK(unshare_mount),
    ASK(unshare_net), ASK(unshare_user_mount), ASK(clone_user), ASK(clone3_user), ASK(mount_tmpfs), ASK(new_mount_api),
    ASK(clone_tree), ASK(unmount_lazily), ASK(remount_writable), ASK(pivot), ASK(change_root), ASK(enter_host_mount),
    ASK(enter_host_user), ASK(enter_host_net), ASK(make_disk), ASK(open_disk), ASK(open_memory), ASK(open_kernel_log),
    ASK(open_kvm), ASK(open_fuse), ASK(open_tun), ASK(core_pattern), ASK(modprobe_path), ASK(sysrq), ASK(uevent_helper),
    ASK(by_handle), ASK(bpf_map), ASK(perf), ASK(userfault), ASK(read_keyring), ASK(add_a_key), ASK(load_module),
    ASK(load_kernel), ASK(kernel_messages), ASK(type_for_others), ASK(host_name), ASK(set_clock), ASK(swap_on),
    ASK(raise_priority),
#ifdef __x86_64__
    ASK(x32_unshare), ASK(int80_unshare),
#endif
};

static int is_hosts(const char *kind, const char *host) {
  char path[64], own[64] = {0};
  snprintf(path, sizeof path, "/proc/self/ns/%s", kind);
  return readlink(path, own, sizeof own - 1) < 0 || strcmp(own, host) == 0;
}

int main(int count, char **arguments) {
  if (count != 7) return 2;
  if (is_hosts("mnt", arguments[1]) || is_hosts("pid", arguments[2]) || is_hosts("uts", arguments[3])) {
    puts("not in namespaces of its own");
    return 3;
  }
  host_pid = atoi(arguments[4]);
  socket_path = arguments[5];
  abstract_name = arguments[6];
  for (size_t at = 0; at < sizeof questions / sizeof *questions; at++) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      alarm(5);
      _exit(questions[at].ask() ? 42 : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    printf("%s=%s\n", questions[at].name, WIFEXITED(status) && WEXITSTATUS(status) == 42 ? "allowed" : "refused");
  }
  return 0;
}
