/**
 * The system calls of Linux that a container of a Docker Engine may make without a profile of its own, whichever
 * capabilities it has. Newer engines leave out what has to do with io_uring, so it is none of them here.
 */
export const everyday = listed(`
  accept accept4 access adjtimex alarm bind brk cachestat capget capset chdir chmod chown chown32 clock_adjtime
  clock_adjtime64 clock_getres clock_getres_time64 clock_gettime clock_gettime64 clock_nanosleep
  clock_nanosleep_time64 close close_range connect copy_file_range creat dup dup2 dup3 epoll_create epoll_create1
  epoll_ctl epoll_ctl_old epoll_pwait epoll_pwait2 epoll_wait epoll_wait_old eventfd eventfd2 execve execveat exit
  exit_group faccessat faccessat2 fadvise64 fadvise64_64 fallocate fanotify_mark fchdir fchmod fchmodat fchmodat2
  fchown fchown32 fchownat fcntl fcntl64 fdatasync fgetxattr flistxattr flock fork fremovexattr fsetxattr fstat
  fstat64 fstatat64 fstatfs fstatfs64 fsync ftruncate ftruncate64 futex futex_requeue futex_time64 futex_wait
  futex_waitv futex_wake futimesat get_robust_list get_thread_area getcpu getcwd getdents getdents64 getegid
  getegid32 geteuid geteuid32 getgid getgid32 getgroups getgroups32 getitimer getpeername getpgid getpgrp getpid
  getppid getpriority getrandom getresgid getresgid32 getresuid getresuid32 getrlimit getrusage getsid getsockname
  getsockopt gettid gettimeofday getuid getuid32 getxattr inotify_add_watch inotify_init inotify_init1
  inotify_rm_watch io_cancel io_destroy io_getevents io_pgetevents io_pgetevents_time64 io_setup io_submit ioctl
  ioprio_get ioprio_set ipc kill landlock_add_rule landlock_create_ruleset landlock_restrict_self lchown lchown32
  lgetxattr link linkat listen listxattr llistxattr lremovexattr lseek _llseek lsetxattr lstat lstat64 madvise
  map_shadow_stack membarrier memfd_create memfd_secret mincore mkdir mkdirat mknod mknodat mlock mlock2 mlockall
  mmap mmap2 mprotect mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedreceive_time64 mq_timedsend
  mq_timedsend_time64 mq_unlink mremap mseal msgctl msgget msgrcv msgsnd msync munlock munlockall munmap
  name_to_handle_at nanosleep newfstatat _newselect open openat openat2 pause pidfd_open pidfd_send_signal pipe
  pipe2 pkey_alloc pkey_free pkey_mprotect poll ppoll ppoll_time64 prctl pread64 preadv preadv2 prlimit64
  process_mrelease pselect6 pselect6_time64 pwrite64 pwritev pwritev2 read readahead readlink readlinkat readv recv
  recvfrom recvmmsg recvmmsg_time64 recvmsg remap_file_pages removexattr rename renameat renameat2 restart_syscall
  rmdir rseq rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait
  rt_sigtimedwait_time64 rt_tgsigqueueinfo sched_get_priority_max sched_get_priority_min sched_getaffinity
  sched_getattr sched_getparam sched_getscheduler sched_rr_get_interval sched_rr_get_interval_time64
  sched_setaffinity sched_setattr sched_setparam sched_setscheduler sched_yield seccomp select semctl semget semop
  semtimedop semtimedop_time64 send sendfile sendfile64 sendmmsg sendmsg sendto set_robust_list set_thread_area
  set_tid_address setfsgid setfsgid32 setfsuid setfsuid32 setgid setgid32 setgroups setgroups32 setitimer setpgid
  setpriority setregid setregid32 setresgid setresgid32 setresuid setresuid32 setreuid setreuid32 setrlimit setsid
  setsockopt setuid setuid32 setxattr shmat shmctl shmdt shmget shutdown sigaltstack signalfd signalfd4 sigprocmask
  sigreturn socketcall socketpair splice stat stat64 statfs statfs64 statx symlink symlinkat sync sync_file_range
  syncfs sysinfo tee tgkill time timer_create timer_delete timer_getoverrun timer_gettime timer_gettime64
  timer_settime timer_settime64 timerfd_create timerfd_gettime timerfd_gettime64 timerfd_settime timerfd_settime64
  times tkill truncate truncate64 ugetrlimit umask uname unlink unlinkat utime utimensat utimensat_time64 utimes
  vfork vmsplice wait4 waitid waitpid write writev
  arch_prctl arm_fadvise64_64 arm_sync_file_range breakpoint cacheflush modify_ldt riscv_flush_icache
  s390_pci_mmio_read s390_pci_mmio_write s390_runtime_instr set_tls swapcontext sync_file_range2`)

/** Those of kernels from 4.8 on, which let nobody get around a filter by them. */
export const tracing = listed('process_vm_readv process_vm_writev ptrace')

/** Those that may be made with certain arguments alone. */
export const restricted = listed('clone clone3 personality socket')

/** What a capability permits besides. */
export const byCapability: Readonly<Record<string, readonly string[]>> = {
  BPF: listed('bpf'),
  DAC_READ_SEARCH: listed('open_by_handle_at'),
  PERFMON: listed('perf_event_open'),
  SYSLOG: listed('syslog'),
  SYS_ADMIN: listed(`
    bpf clone clone3 fanotify_init fsconfig fsmount fsopen fspick listmount lookup_dcookie mount mount_setattr
    move_mount open_tree perf_event_open quotactl quotactl_fd setdomainname sethostname setns statmount syslog umount
    umount2 unshare`),
  SYS_BOOT: listed('reboot'),
  SYS_CHROOT: listed('chroot'),
  SYS_MODULE: listed('delete_module finit_module init_module'),
  SYS_NICE: listed('get_mempolicy mbind set_mempolicy set_mempolicy_home_node'),
  SYS_PACCT: listed('acct'),
  SYS_PTRACE: listed('kcmp pidfd_getfd process_madvise process_vm_readv process_vm_writev ptrace'),
  SYS_RAWIO: listed('ioperm iopl'),
  SYS_TIME: listed('clock_settime clock_settime64 settimeofday stime'),
  SYS_TTY_CONFIG: listed('vhangup'),
}

/** Those that no container may make without a profile of its own. */
const never = listed(`
  _sysctl add_key afs_syscall create_module get_kernel_syms getpmsg io_uring_enter io_uring_register io_uring_setup
  kexec_file_load kexec_load keyctl lsm_get_self_attr lsm_list_modules lsm_set_self_attr migrate_pages move_pages
  nfsservctl pivot_root putpmsg query_module request_key security swapoff swapon sysfs tuxcall uretprobe uselib
  userfaultfd ustat vserver`)

const all: ReadonlySet<string> = new Set([
  ...[everyday, tracing, restricted, never].flat(),
  ...Object.values(byCapability).flat(),
])

/**
 * What engines and ordinary programs need until the program itself runs, and to end it. Found by leaving out one call
 * after the other, with Docker Engine 20.10 and 28.5; those of the engine's own threads are not needed each time.
 */
export const startCalls = listed(`
  access arch_prctl brk capget capset chdir clock_gettime clock_nanosleep close close_range epoll_create1 epoll_ctl
  epoll_pwait epoll_wait eventfd2 execve exit exit_group faccessat2 fchown fcntl fstat fstatfs futex getcwd getdents64
  getegid geteuid getgid getpid getppid getrandom gettid getuid lseek lstat madvise mmap mprotect munmap nanosleep
  newfstatat open openat pipe2 prctl prlimit64 read readlink readlinkat restart_syscall rseq rt_sigaction
  rt_sigprocmask rt_sigreturn sched_getaffinity sched_yield set_robust_list set_tid_address setgid setgroups setuid
  sigaltstack stat statx tgkill uname write`)

/** What the shell makes besides that runs programs around the main one. */
export const shellCalls = listed(`
  clone dup dup2 dup3 fork getpgrp ioctl kill pause pipe poll ppoll rt_sigsuspend umask unlink unlinkat vfork wait4 waitid`)

/** What every program needs, whichever engine starts it. */
export const programCalls: readonly string[] = [
  'execve',
  'exit_group',
  'read',
  'write',
  'openat',
  'close',
  'futex',
]

/** Those that Docker permits every container, if some only with certain arguments. */
export const usualCalls: readonly string[] = [...everyday, ...tracing, ...restricted].toSorted()

/** All that there are. */
export const unlimited: readonly string[] = [...all].toSorted()

/** Whether Linux has a system call of this name, on any kind of machine. */
export function isSystemCall(name: string): boolean {
  return all.has(name)
}

function listed(names: string): readonly string[] {
  return names.trim().split(/\s+/)
}
