"""Makes system calls with a history of vulnerabilities: keys, tracing, rings, modules, clocks, queues."""

import ctypes

from attempts import attempt_all, call
from honest import play

prctl = ctypes.CDLL(None, use_errno=True).prctl

NAMES = (
    "acct add_key adjtimex bpf clock_adjtime clock_settime delete_module fanotify_init get_mempolicy "
    "init_module inotify_init1 io_uring_setup ioperm iopl ioprio_set kexec_load keyctl "
    "landlock_create_ruleset lookup_dcookie mbind memfd_secret mlock modify_ldt mq_open msgget "
    "name_to_handle_at open_by_handle_at perf_event_open quotactl reboot request_key sched_setattr "
    "sched_setscheduler seccomp semget setdomainname sethostname settimeofday setxattr shmget splice "
    "swapon sync syslog tee timer_create userfaultfd ustat vhangup vmsplice "
)
TRIES = {
    "[name for name in NAMES.split() if refusal(name) != 'EPERM']": "[]",
    # All but the name of a thread: memory for futexes (78), filters (22) and their kind.
    "[option for option in range(1024) if prctl(option, 0, 0, 0, 0) != -1 and option != 16]": "[]",
    "prctl(78, 1, 4096, 0, 0), ctypes.get_errno()": "(-1, 1)",
    "prctl(22, 2, None, 0, 0), ctypes.get_errno()": "(-1, 1)",
}


def refusal(name):
    try:
        return call(name, 0, 0, 0, 0, 0, 0)
    except OSError as error:
        return {1: "EPERM"}.get(error.errno, error.errno)


attempt_all(TRIES, {"NAMES": NAMES, "refusal": refusal, "prctl": prctl, "ctypes": ctypes})
play()
