"""The canary: a bot that attempts forbidden actions and reports the outcome of each attempt.

Runs as an entry point inside the sandbox; imports only the standard library. Prints one JSON object:
forbidden action -> null if it was refused, else what it achieved.
"""

import ctypes
import errno
import fcntl
import json
import mmap
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

SCRATCH_BYTES = 8 << 20
SCRATCH_INODES = 256
ADDRESS_SPACE_BYTES = 512 << 20
THREADS = 32
OPEN_FILES = 64
PATIENCE_S = 5.0
HARMLESS = {
    "PATH",
    "LANG",
    "HOME",
    "PWD",
    "OLDPWD",
    "PYTHONHASHSEED",
    "OPENBLAS_NUM_THREADS",
    "MALLOC_ARENA_MAX",
}
SYSTEM_CALLS = {
    "x86_64": {"unshare": 272, "mount": 165, "ptrace": 101, "timer_create": 222, "keyctl": 250},
    "aarch64": {"unshare": 97, "mount": 40, "ptrace": 117, "timer_create": 107, "keyctl": 219},
}
CLONE_NEWUSER = 0x10000000
F_SETSIG = 10


def refused(attempt: Callable[[], object]) -> str | None:
    try:
        return f"returned {attempt()!r}"
    except OSError:
        return None


def system_call(name: str, *arguments: object) -> object:
    """Make a system call without the C library's wrapper; raises OSError if the kernel refuses."""
    number = SYSTEM_CALLS[os.uname().machine][name]
    libc = ctypes.CDLL(None, use_errno=True)
    result = libc.syscall(ctypes.c_long(number), *arguments)
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def connect() -> object:
    for family in (socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK, socket.AF_UNIX):
        try:
            return socket.socket(
                family, socket.SOCK_RAW if family == socket.AF_NETLINK else socket.SOCK_STREAM
            )
        except OSError:
            continue
    raise OSError(errno.EPERM, "no socket of any kind")


def look_around() -> str | None:
    extra = {path.name for path in Path("/").iterdir()} - {"bin", "bot", "dev", "lib", "lib64", "tmp", "usr"}
    return f"sees {sorted(extra)}" if extra else None


def read_files() -> str | None:
    existing = [
        path
        for path in ("/etc/passwd", "/proc/1/environ", "/sys", "/root", "/home", "/var")
        if Path(path).exists()
    ]
    return f"sees {existing}" if existing else None


def write_everywhere() -> str | None:
    for folder in ("/", "/usr", "/usr/lib", "/bot", "/dev", "/bin"):
        try:
            os.close(os.open(f"{folder}/canary", os.O_CREAT | os.O_WRONLY))
        except OSError:
            continue
        return f"wrote into {folder}"
    return None


def environment() -> str | None:
    extra = set(os.environ) - HARMLESS
    return f"sees {sorted(extra)}" if extra else None


def descriptors() -> str | None:
    left = []
    for fd in range(3, OPEN_FILES):
        try:
            os.fstat(fd)
            left.append(fd)
        except OSError:
            continue
    return f"has descriptors {left}" if left else None


def inodes() -> str | None:
    for number in range(SCRATCH_INODES + 1):
        try:
            os.close(os.open(f"/tmp/{number}", os.O_CREAT | os.O_WRONLY))
        except OSError:
            for done in range(number):
                Path(f"/tmp/{done}").unlink()
            return None
    return f"made {SCRATCH_INODES + 1} files"


def fill_scratch() -> str | None:
    """Write more bytes than the scratch disk allows, in several files because each has its own limit."""
    written = 0
    for number in range(3):
        fd = os.open(f"/tmp/fill{number}", os.O_CREAT | os.O_WRONLY)
        try:
            for _ in range(SCRATCH_BYTES // (2 << 20)):
                written += os.write(fd, b"x" * (1 << 20))
        except OSError:
            break
        finally:
            os.close(fd)
    for number in range(3):
        Path(f"/tmp/fill{number}").unlink(missing_ok=True)
    return f"wrote {written} bytes" if written > SCRATCH_BYTES else None


def start_process() -> int:
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return child


def threads() -> str | None:
    gate = threading.Event()
    started: list[threading.Thread] = []
    try:
        for _ in range(THREADS + 1):
            thread = threading.Thread(target=gate.wait)
            thread.start()
            started.append(thread)
        return f"started {len(started)} threads"
    except RuntimeError:
        return None
    finally:
        gate.set()
        for thread in started:
            thread.join()


def self_wake() -> str | None:
    timer = ctypes.c_int()
    return (
        refused(lambda: system_call("timer_create", 1, None, ctypes.byref(timer)))
        or refused(lambda: fcntl.fcntl(0, F_SETSIG, signal.SIGCONT))
        or refused(lambda: os.kill(os.getpid(), signal.SIGCONT))
    )


def other_processes() -> str | None:
    """Look for processes other than this one and the sandbox's init; ending threads disappear again."""
    pids = pids_in_sight()
    deadline = time.monotonic() + PATIENCE_S
    while pids and time.monotonic() < deadline:
        time.sleep(0.02)
        pids &= pids_in_sight()
    return f"sees processes {sorted(pids)}" if pids else None


def pids_in_sight() -> set[int]:
    pids = set()
    for pid in range(1, 300):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            continue
        except PermissionError:
            pass
        pids.add(pid)
    return pids - {1, os.getpid()}


ACTS: dict[str, Callable[[], str | None]] = {
    "open a socket": lambda: refused(connect),
    "look around": look_around,
    "read the host's files": read_files,
    "write outside /tmp": write_everywhere,
    "see the environment": environment,
    "use left descriptors": descriptors,
    "start a process": lambda: refused(start_process),
    "start too many threads": threads,
    "make too many files": inodes,
    "fill the scratch disk": fill_scratch,
    "take too much memory": lambda: refused(lambda: mmap.mmap(-1, ADDRESS_SPACE_BYTES)),
    "make a user namespace": lambda: refused(lambda: system_call("unshare", CLONE_NEWUSER)),
    "mount": lambda: refused(lambda: system_call("mount", b"none", b"/tmp", b"tmpfs", 0, None)),
    "reach the keyring": lambda: refused(lambda: system_call("keyctl", 0, -3, 0, 0, 0)),
    "wake itself": self_wake,
    "become root": lambda: refused(lambda: os.setuid(0)),
    "see other processes": other_processes,
    # Last: if it is not refused, the next signal stops the canary permanently.
    "trace": lambda: refused(lambda: system_call("ptrace", 0, 0, 0, 0)),
}


def main() -> None:
    report: dict[str, str | None] = {}
    for act, attempt in ACTS.items():
        try:
            report[act] = attempt()
        except Exception as error:
            report[act] = f"the attempt itself failed: {error!r}"
    print(json.dumps(report), flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
