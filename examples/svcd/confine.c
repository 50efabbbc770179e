/*
** svcd gives up privileges after it has opened its ports and its store, and before the first request. An attacker who takes over the
** process finds little to use:
**
**   no core dump, and no access to its memory by other processes of the same user, because memory holds keys and tokens
**   no privileges, even as root; svcd's own files stay readable and writable
**   no program that it starts can gain privileges
**   no system calls that such a server does not need: exec, memory of other processes, mounts, modules, clocks, namespaces
**
** A driver must start programs, possibly as another user. So with a driver, svcd keeps its privileges and may use exec.
**
** The rule: protections that the system lacks are skipped silently. Privileges and system calls are restricted for the calling thread and
** for the threads that it starts afterwards, so svcd_confine() runs before the listener starts its threads. The thread of --end-with-stdin
** runs already, because it also ends a start that waits; it restricts itself. The threads of a driver run already, too, and are not
** restricted.
*/
#define _GNU_SOURCE /* syscall */
#include "svcd.h"

#ifdef __linux__
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define CONFINE_MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define CONFINE_MACHINE AUDIT_ARCH_AARCH64
#elif defined(__arm__)
#define CONFINE_MACHINE AUDIT_ARCH_ARM
#elif defined(__riscv) && __riscv_xlen == 64
#define CONFINE_MACHINE AUDIT_ARCH_RISCV64
#endif

static void confine_privileges(void)
{
  struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
  struct __user_cap_data_struct none[2] = { { 0, 0, 0 }, { 0, 0, 0 } };
  int i;
  for (i = 0; prctl(PR_CAPBSET_READ, i, 0, 0, 0) >= 0; i++) prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  syscall(SYS_capset, &head, none);
}

#ifdef CONFINE_MACHINE
/* System calls refused with EPERM. A list of allowed calls would depend on the C library. */
static const int confine_refused[] = {
  SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, SYS_perf_event_open, SYS_bpf, SYS_userfaultfd, SYS_mount, SYS_umount2,
  SYS_pivot_root, SYS_chroot, SYS_unshare, SYS_setns, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_reboot, SYS_swapon,
  SYS_swapoff, SYS_adjtimex, SYS_clock_adjtime, SYS_sethostname, SYS_setdomainname, SYS_acct, SYS_quotactl, SYS_add_key,
  SYS_keyctl, SYS_request_key, SYS_open_by_handle_at, SYS_mknodat, SYS_personality, SYS_vhangup, SYS_syslog, SYS_lookup_dcookie,
#ifdef SYS_settimeofday
  SYS_settimeofday,
#endif
#ifdef SYS_clock_settime
  SYS_clock_settime,
#endif
#ifdef SYS_settimeofday_time32 /* musl's names on 32-bit machines */
  SYS_settimeofday_time32, SYS_clock_settime32,
#endif
#ifdef SYS_clock_settime64
  SYS_clock_settime64, SYS_clock_adjtime64,
#endif
#ifdef SYS_kexec_load
  SYS_kexec_load,
#endif
#ifdef SYS_kexec_file_load
  SYS_kexec_file_load,
#endif
#ifdef SYS_mknod
  SYS_mknod,
#endif
#ifdef SYS_iopl
  SYS_iopl, SYS_ioperm, SYS_modify_ldt,
#endif
#ifdef SYS_io_uring_setup
  SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
#endif
};

/* Also refused without a driver. */
static const int confine_programs[] = {
  SYS_execve, SYS_execveat, SYS_setuid, SYS_setgid, SYS_setresuid, SYS_setresgid, SYS_setgroups,
#ifdef SYS_setuid32
  SYS_setuid32, SYS_setgid32, SYS_setresuid32, SYS_setresgid32, SYS_setgroups32,
#endif
};

#define CONFINE_MOST (sizeof confine_refused / sizeof confine_refused[0] + sizeof confine_programs / sizeof confine_programs[0] + 8)

/* Installs the filter of system calls. All calls of another architecture (32-bit calls on a 64-bit kernel) are refused, because their
** numbers have other meanings. */
static void confine_calls(int programs)
{
  struct sock_filter filter[CONFINE_MOST];
  struct sock_fprog program = { 0, filter };
  size_t n = 0, i, refused = sizeof confine_refused / sizeof confine_refused[0];
  size_t all = refused + (programs ? 0 : sizeof confine_programs / sizeof confine_programs[0]);
  filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
  filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CONFINE_MACHINE, 1, 0);
  filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1); /* EPERM */
  filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (i = 0; i < all; i++) {
    int call = i < refused ? confine_refused[i] : confine_programs[i - refused];
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, (unsigned char)(all - i), 0);
  }
  filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1);
  program.len = (unsigned short)n;
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}
#else
static void confine_calls(int programs)
{
  (void)programs;
}
#endif

void svcd_confine_thread(const svcd_options *o)
{
  if (!o->driver) confine_privileges();
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) confine_calls(o->driver != NULL);
}

void svcd_confine(const svcd_options *o)
{
  const struct rlimit none = { 0, 0 };
  setrlimit(RLIMIT_CORE, &none);
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  svcd_confine_thread(o);
}

#else
void svcd_confine_thread(const svcd_options *o)
{
  (void)o;
}

void svcd_confine(const svcd_options *o)
{
  (void)o;
}
#endif
