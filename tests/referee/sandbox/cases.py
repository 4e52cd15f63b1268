"""Hostile bots, what each must come to, and how to find out. Needs no pytest: also run as another user.

python cases.py BUNDLES     plays every case and prints what came of it as JSON
"""

import json
import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path

from referee.contract import Limits
from referee.driver import DriverFault, DriverReport
from referee.runtimes import runtime_named
from referee.sandbox import SandboxedDriver
from referee.sandbox.pump import PumpedDriver

HOSTILE = Path(__file__).with_name("hostile")
TURN = {"cpu_limit_ms": 300.0, "wall_limit_ms": 30_000.0}
"""Enough wall time for a bot on a busy machine to spend its CPU time."""
IDLE_TURN = {"cpu_limit_ms": 300.0, "wall_limit_ms": 400.0}
IDLERS = {"closes_stdout", "never_ready", "sleeps", "stops_itself"}
"""Bots that can only be caught by the wall clock."""
START = {"cpu_limit_ms": 3000.0, "wall_limit_ms": 10_000.0}
X86_64 = platform.machine() == "x86_64"

OUTCOMES: dict[str, set[str]] = {
    "answers_ahead": {"EARLY"},
    "answers_and_exits": {"OK then EXITED"},
    "balloons": {"CRASHED"},
    "closes_stdout": {"TURN_WALL"},
    "crashes": {"CRASHED"},
    "endless_line": {"LINE_TOO_LONG"},
    "exits": {"EXITED"},
    "exits_125": {"CRASHED"},
    # Depends on how much the first look at the pipe brings.
    "floods": {"OK then OUTPUT_LIMIT", "EARLY"},
    "floods_stderr": {"STDERR_LIMIT"},
    "forks": {"CRASHED"},
    "kills_everybody": {"OK then EXITED"},
    "long_line": {"LINE_TOO_LONG"},
    "never_ready": {"start TURN_WALL"},
    "not_utf8": {"NOT_UTF8"},
    "segfaults": {"SIGNALED"},
    "sleeps": {"TURN_WALL"},
    "spins": {"TURN_CPU"},
    "spins_in_threads": {"TURN_CPU"},
    "stops_itself": {"TURN_WALL"},
}
"""Hostile bot -> what it may come to, in the sandbox."""
if X86_64:
    OUTCOMES["foreign_call"] = {"BAD_SYSCALL"}

ATTEMPTS: dict[str, str] = {
    "socket.socket()": "EPERM",
    "socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)": "EPERM",
    "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)": "EPERM",
    "socket.socket(socket.AF_UNIX)": "EPERM",
    "socket.create_connection(('127.0.0.1', 22), 1)": "EPERM",
    "socket.getaddrinfo('example.org', 80)": "gaierror",
    "socket.socketpair(socket.AF_UNIX) and 'a pair'": "'a pair'",
    "sorted(os.listdir('/'))": "['bin', 'bot', 'dev', 'lib', 'lib64', 'tmp', 'usr']",
    "sorted(os.listdir('/dev'))": "['full', 'null', 'random', 'urandom', 'zero']",
    "os.listdir('/tmp')": "[]",
    "open('/etc/passwd')": "ENOENT",
    "open('/etc/shadow')": "ENOENT",
    "os.listdir('/root')": "ENOENT",
    "os.listdir('/home')": "ENOENT",
    "os.listdir('/var')": "ENOENT",
    "os.listdir('/sys')": "ENOENT",
    "os.listdir('/proc')": "ENOENT",
    "open('/proc/1/environ')": "ENOENT",
    "open('/proc/self/mem')": "ENOENT",
    "open('/dev/tty')": "ENOENT",
    "open('/dev/kmsg')": "ENOENT",
    "os.symlink('/etc/passwd', '/tmp/link') or open('/tmp/link')": "ENOENT",
    "os.link('/usr/bin/sh', '/tmp/sh')": "EXDEV",
    "sorted(set(os.environ) - {'PWD', 'OLDPWD'})": (
        "['HOME', 'LANG', 'MALLOC_ARENA_MAX', 'OPENBLAS_NUM_THREADS', 'PATH', 'PYTHONHASHSEED']"
    ),
    "[fd for fd in range(3, 64) if not fcntl.fcntl(fd, fcntl.F_GETFD)]": "EBADF",
    "open('/x', 'w')": "EROFS",
    "open('/usr/x', 'w')": "EROFS",
    "os.chmod('/usr/lib/rensho/engine/__init__.py', 0o777)": "EROFS",
    "open('/bot/x', 'w')": "EROFS",
    "os.chmod('/bot/obliging.py', 0o777)": "EROFS",
    "open('/dev/x', 'w')": "EROFS",
    "open('/dev/shm/x', 'w')": "ENOENT",
    "os.chmod('/bot', 0o777)": "EROFS",
    "write('/tmp/a', 5 << 20)": f"{5 << 20}",
    "write('/tmp/b', 5 << 20)": "ENOSPC",
    "os.truncate('/tmp/a', 1 << 40)": "EFBIG",
    "os.unlink('/tmp/a') or os.unlink('/tmp/b') or os.unlink('/tmp/link')": "None",
    "[os.mkdir(f'/tmp/{n}') for n in range(300)]": "ENOSPC",
    "os.fork()": "EAGAIN",
    "subprocess.run(['/usr/bin/sh', '-c', 'true'])": "EAGAIN",
    "os.posix_spawn('/usr/bin/sh', ['sh'], {})": "EAGAIN",
    "threads(20)": "20",
    "threads(40)": "RuntimeError",
    "len(bytearray(600 << 20))": "MemoryError",
    "mmap.mmap(-1, 600 << 20)": "ENOMEM",
    "os.memfd_create('x')": "EPERM",
    "[os.pipe() for _ in range(40)]": "EMFILE",
    "fcntl.fcntl(0, 1031, 1 << 20)": "EPERM",
    "resource.setrlimit(resource.RLIMIT_AS, (-1, -1))": "ValueError",
    "resource.setrlimit(resource.RLIMIT_CPU, (999, 999))": "ValueError",
    "os.kill(2, 0)": "None",
    "[os.kill(pid, 0) for pid in range(3, 100)]": "ESRCH",
    "os.getuid(), os.getgid(), os.getpid(), os.getppid()": "(65534, 65534, 2, 1)",
    "os.uname().nodename": "'bot'",
    "os.setuid(0)": "EPERM",
    "os.setgroups([])": "EPERM",
    "os.chroot('/tmp')": "EPERM",
    "os.mknod('/tmp/null', 0o20666, 0x103)": "EPERM",
    "os.setxattr('/tmp', 'user.x', b'x')": "EPERM",
    "os.nice(-5)": "EPERM",
    "os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))": "EPERM",
    "fcntl.ioctl(0, 0x5412, b'x')": "EPERM",
    "fcntl.fcntl(0, 8, 1)": "EPERM",
    "fcntl.fcntl(0, 10, 18)": "EPERM",
    "call(435, None, 0)": "ENOSYS",
    "call(9999)": "ENOSYS",
    "__import__('numpy').linalg.inv([[2.0]]).tolist()": "[[0.5]]",
    "__import__('engine').__file__": "'/usr/lib/rensho/engine/__init__.py'",
    "__import__('bots.sdk').sdk.__file__": "'/usr/lib/rensho/bots/sdk/__init__.py'",
}
"""Python the obliging bot evaluates, one after the other in one process -> what must come of it."""
if X86_64:
    ATTEMPTS |= {
        f"call({number}, {arguments})": "EPERM"
        for number, arguments in {
            101: "0, 0, 0, 0",  # ptrace
            165: "b'none', b'/tmp', b'tmpfs', 0, None",  # mount
            166: "b'/tmp', 0",  # umount2
            155: "b'/tmp', b'/tmp'",  # pivot_root
            222: "1, None, ctypes.byref(ctypes.c_int())",  # timer_create
            250: "0, -3, 0, 0, 0",  # keyctl
            272: "0x10000000",  # unshare
            298: "None, 0, -1, -1, 0",  # perf_event_open
            308: "0, 0",  # setns
            310: "1, None, 0, None, 0, 0",  # process_vm_readv
            317: "0, 0, None",  # seccomp
            321: "0, None, 0",  # bpf
            323: "0",  # userfaultfd
            425: "1, None",  # io_uring_setup
            434: "1, 0",  # pidfd_open
            56: "0x10000000 | 17, 0, 0, 0, 0",  # clone with a new user namespace
        }.items()
    }


def sandboxed(bundle: Path, bot: str, cpu_limit_s: int = 20) -> SandboxedDriver:
    """A driver for one of the hostile bots, staged at ``bundle``."""
    return SandboxedDriver(
        bundle, runtime_named("python/1"), f"{bot}.py", Limits(), cpu_limit_s=cpu_limit_s, label=bot
    )


def outcome(driver: PumpedDriver) -> tuple[str, DriverReport]:
    """What comes of three turns: the first fault, EARLY for an answer ahead of its request, or OK."""
    bot = driver.entry_point.removesuffix(".py")
    try:
        driver.start()
        try:
            driver.collect(**IDLE_TURN if bot == "never_ready" else START)
        except DriverFault as fault:
            return f"start {fault.reason}", driver.close()
        so_far = ""
        for _ in range(3):
            try:
                driver.post(b"go")
                reply = driver.collect(**IDLE_TURN if bot in IDLERS else TURN)
            except DriverFault as fault:
                return so_far + fault.reason, driver.close()
            if reply.early:
                return "EARLY", driver.close()
            so_far = "OK then "
        return "OK", driver.close()
    finally:
        driver.close()


def attempts(driver: PumpedDriver) -> Iterator[tuple[str, str]]:
    """Each attempt and what the obliging bot says came of it."""
    driver.start()
    try:
        driver.collect(**START)
        for attempt in ATTEMPTS:
            driver.post(attempt.encode())
            yield attempt, driver.collect(**START).line.decode()
    finally:
        driver.close()


def main() -> None:
    bundle = Path(sys.argv[1])
    print(
        json.dumps(
            {
                "uid": os.geteuid(),
                "outcomes": {bot: outcome(sandboxed(bundle, bot))[0] for bot in OUTCOMES},
                "attempts": dict(attempts(sandboxed(bundle, "obliging"))),
            }
        )
    )


if __name__ == "__main__":
    main()
