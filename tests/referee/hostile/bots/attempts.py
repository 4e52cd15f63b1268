"""Tries things, and tells the log what came of each: one JSON line an attempt."""

import ctypes
import errno
import json
import os
import platform

_NUMBERS = {
    "x86_64": {
        **{
            "acct": 163,
            "add_key": 248,
            "adjtimex": 159,
            "bpf": 321,
            "capset": 126,
            "chroot": 161,
            "clone": 56,
        },
        **{"clock_adjtime": 305, "clock_settime": 227, "clone3": 435, "delete_module": 176, "fadvise64": 221},
        **{"fanotify_init": 300, "fsmount": 432, "fsopen": 430, "get_mempolicy": 239, "init_module": 175},
        **{"inotify_init1": 294, "io_uring_setup": 425, "ioperm": 173, "iopl": 172, "ioprio_set": 251},
        **{
            "kcmp": 312,
            "kexec_load": 246,
            "keyctl": 250,
            "landlock_create_ruleset": 444,
            "lookup_dcookie": 212,
        },
        **{
            "madvise": 28,
            "mbind": 237,
            "memfd_create": 319,
            "memfd_secret": 447,
            "mincore": 27,
            "mknod": 133,
        },
        **{"mlock": 149, "modify_ldt": 154, "mount": 165, "mount_setattr": 442, "move_mount": 429},
        **{
            "move_pages": 279,
            "mq_open": 240,
            "msgget": 68,
            "name_to_handle_at": 303,
            "open_by_handle_at": 304,
        },
        **{"open_tree": 428, "perf_event_open": 298, "pidfd_getfd": 438, "pidfd_open": 434},
        **{"pidfd_send_signal": 424, "pivot_root": 155, "process_madvise": 440, "process_vm_readv": 310},
        **{"process_vm_writev": 311, "ptrace": 101, "quotactl": 179, "reboot": 169, "request_key": 249},
        **{"rt_sigqueueinfo": 129, "sched_setaffinity": 203, "sched_setattr": 314, "sched_setscheduler": 144},
        **{
            "seccomp": 317,
            "semget": 64,
            "setdomainname": 171,
            "sethostname": 170,
            "setns": 308,
            "setuid": 105,
        },
        **{"settimeofday": 164, "setxattr": 188, "shmget": 29, "splice": 275, "swapon": 167, "sync": 162},
        **{"sysinfo": 99, "syslog": 103, "tee": 276, "timer_create": 222, "umount2": 166, "unshare": 272},
        **{"userfaultfd": 323, "ustat": 136, "utimensat": 280, "vhangup": 153, "vmsplice": 278},
    },
    "aarch64": {
        **{"acct": 89, "add_key": 217, "adjtimex": 171, "bpf": 280, "capset": 91, "chroot": 51, "clone": 220},
        **{"clock_adjtime": 266, "clock_settime": 112, "clone3": 435, "delete_module": 106, "fadvise64": 223},
        **{"fanotify_init": 262, "fsmount": 432, "fsopen": 430, "get_mempolicy": 236, "init_module": 105},
        **{"inotify_init1": 26, "io_uring_setup": 425, "ioprio_set": 30, "kcmp": 272, "kexec_load": 104},
        **{"keyctl": 219, "landlock_create_ruleset": 444, "lookup_dcookie": 18, "madvise": 233, "mbind": 235},
        **{"memfd_create": 279, "memfd_secret": 447, "mincore": 232, "mlock": 228, "mount": 40},
        **{"mount_setattr": 442, "move_mount": 429, "move_pages": 239, "mq_open": 180, "msgget": 186},
        **{"name_to_handle_at": 264, "open_by_handle_at": 265, "open_tree": 428, "perf_event_open": 241},
        **{"pidfd_getfd": 438, "pidfd_open": 434, "pidfd_send_signal": 424, "pivot_root": 41},
        **{"process_madvise": 440, "process_vm_readv": 270, "process_vm_writev": 271, "ptrace": 117},
        **{
            "quotactl": 60,
            "reboot": 142,
            "request_key": 218,
            "rt_sigqueueinfo": 138,
            "sched_setaffinity": 122,
        },
        **{
            "sched_setattr": 274,
            "sched_setscheduler": 119,
            "seccomp": 277,
            "semget": 190,
            "setdomainname": 162,
        },
        **{
            "sethostname": 161,
            "setns": 268,
            "setuid": 146,
            "settimeofday": 170,
            "setxattr": 5,
            "shmget": 194,
        },
        **{"splice": 76, "swapon": 224, "sync": 81, "sysinfo": 179, "syslog": 116, "tee": 77},
        **{"timer_create": 107, "umount2": 39, "unshare": 97, "userfaultfd": 282, "utimensat": 88},
        **{"vhangup": 58, "vmsplice": 75},
    },
}[platform.machine()]

_libc = ctypes.CDLL(None, use_errno=True)


def call(name, *arguments):
    """A system call past the C library's wrappers."""
    if name not in _NUMBERS:
        raise OSError(errno.EPERM, "this machine has no such call")
    result = _libc.syscall(ctypes.c_long(_NUMBERS[name]), *arguments)
    if result == -1:
        raise OSError(ctypes.get_errno(), "refused")
    return result


def outcome(attempt):
    """The value, or the error's short name."""
    try:
        return repr(attempt())
    except OSError as error:
        return errno.errorcode.get(error.errno, type(error).__name__)
    except BaseException as error:
        return type(error).__name__


def tell(what, came_of_it):
    """One line of the log that the tests read."""
    os.write(2, json.dumps([what, came_of_it]).encode() + b"\n")


def attempt_all(tries, names):
    """Evaluate each expression in turn, one after the other in one process."""
    for expression in tries:
        tell(expression, outcome(lambda expression=expression: eval(expression, names)))
