"""Answers a bot's stat calls on descriptors, so that it never sees the kernel's inode numbers.

The kernel counts inode numbers of pipes, sockets and similar objects machine-wide, and bots that may make
them can advance the counter. Their filter forwards ``fstat``, and ``newfstatat`` and ``statx`` of a
descriptor, to this process (seccomp(2), "user notification"); the bot's thread waits for the answer.

- Objects on a file system that the bot can see keep their inode number. All others, and its standard streams,
  get a keyed hash with a key of this bot alone. Equal objects have equal numbers.
- The call never continues in the kernel: meanwhile, another thread could exchange the descriptor.
- The bot's memory is written through a descriptor opened before checking that the call still waits, so it is
  never the memory of another process with a reused pid.
- Each bot has its own thread for this, which ends with it. Its CPU time counts as the bot's own when the time
  held up is computed.

Source: seccomp_unotify(2), <linux/seccomp.h>, <asm/stat.h>, <linux/stat.h>.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import hashlib
import logging
import os
import platform
import select
import stat
import struct
import threading
from pathlib import Path

from referee.errors import SandboxUnavailable
from referee.sandbox.syscalls import ALLOWED

LISTENER_FLAGS = 1 << 3 | 1 << 5
"""SECCOMP_FILTER_FLAG_NEW_LISTENER and WAIT_KILLABLE_RECV (Linux 5.19): only fatal signals end a wait."""
REMEDY = (
    "Give the worker the capability SYS_PTRACE (Docker: --cap-add SYS_PTRACE; Kubernetes: "
    "securityContext.capabilities.add), keep kernel.yama.ptrace_scope below 3, and use Linux 5.19 or newer, "
    "outside of containers whose runtime answers system calls itself."
)
AT_EMPTY_PATH = 0x1000
JOIN_TIMEOUT_S = 2.0

_RECEIVE, _SEND, _IS_WAITING, _SET_FLAGS = 0xC0502100, 0xC0182101, 0x40082102, 0x40082104
_SYNC_WAKE_UP = 1
_REQUEST = struct.Struct("<QIIiIQ6Q")
_RESPONSE = struct.Struct("<QqiI")
_PIDFD_GETFD = 438
_STAT_FLAGS, _SYNC_FLAGS = AT_EMPTY_PATH | 0x100 | 0x800, 0x6000
_AT_FDCWD = -100
_STATX_BYTES, _STATX_UID_AT, _STATX_MODE_AT, _STATX_INO_AT, _STATX_DEV_AT = 256, 20, 28, 32, 136
_STAT = {
    "x86_64": struct.Struct("<QQQIIIxxxxQqqq6q24x"),
    "aarch64": struct.Struct("<QQIIIIQxxxxxxxxqixxxxq6q8x"),
}
_MOUNT_SAMPLES = (".", "usr", "bot", "tmp", "dev", "dev/null")
"""One path on each file system that a bot can see."""
_ERRNO_AS_SEEN = {errno.ENOENT: errno.EBADF, errno.EIO: errno.EFAULT}
"""Errno for the bot if /proc has no such entry, or if its memory cannot be read."""
_NUMBER_BYTES = 6
"""Below 2**53, the largest exact whole number of some languages."""

log = logging.getLogger(__name__)
_libc = ctypes.CDLL(None, use_errno=True)


def take_descriptor(pidfd: int, number: int) -> int:
    """Duplicate another process's descriptor; OSError: EPERM without the right to trace it, or EBADF."""
    fd: int = _libc.syscall(ctypes.c_long(_PIDFD_GETFD), pidfd, number, 0)
    if fd < 0:
        raise OSError(ctypes.get_errno(), "cannot take the listener of the system-call filter")
    return fd


class StatSupervisor:
    """Answers one bot until its end."""

    def __init__(self, listener: int, pid: int, ids: int) -> None:
        """Take over the listener of the bot's filter, or raise ``OSError``. ``pid`` is the bot at its gate.

        ``ids`` are the uid and gid that every file has from the bot's view.
        """
        self._listener = listener
        self._ids = ids
        self._key = os.urandom(32)
        machine = platform.machine()
        numbers = ALLOWED[machine]
        self._stat = _STAT[machine]
        self._machine = machine
        self._fstat, self._fstatat, self._statx = (numbers[call] for call in ("fstat", "newfstatat", "statx"))
        try:
            inside = Path(f"/proc/{pid}/root")
            self._devices = frozenset((inside / path).stat().st_dev for path in _MOUNT_SAMPLES)
            self._scratch = (inside / "tmp").stat().st_dev
            self._stop = os.eventfd(0, os.EFD_CLOEXEC)
        except BaseException:
            os.close(listener)
            raise
        with contextlib.suppress(OSError):  # Since Linux 6.6; only an optimisation.
            fcntl.ioctl(listener, _SET_FLAGS, _SYNC_WAKE_UP)
        self._thread = threading.Thread(target=self._serve, name=f"descriptors of {pid}", daemon=True)
        self._thread.start()

    @property
    def thread(self) -> int:
        return self._thread.native_id or 0

    def close(self) -> None:
        os.eventfd_write(self._stop, 1)
        self._thread.join(JOIN_TIMEOUT_S)
        if self._thread.is_alive():  # It still holds both descriptors and closes them at its end.
            log.warning("%s is still answering after %s s", self._thread.name, JOIN_TIMEOUT_S)
            return
        os.close(self._stop)

    def _serve(self) -> None:
        poller = select.poll()
        poller.register(self._listener, select.POLLIN)
        poller.register(self._stop, select.POLLIN)
        try:
            while True:
                for fd, event in poller.poll():
                    if fd == self._stop or not event & select.POLLIN:
                        return
                    self._answer_one()
        except Exception:
            # Waiting calls get ENOSYS when the listener is closed.
            log.exception("the bot's stat calls are no longer answered")
        finally:
            os.close(self._listener)

    def _answer_one(self) -> None:
        request = bytearray(_REQUEST.size)
        try:
            fcntl.ioctl(self._listener, _RECEIVE, request)
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.EINTR):  # The calling thread has ended.
                return
            raise
        number, task, _, call, _, _, *arguments = _REQUEST.unpack(request)
        try:
            memory = os.open(f"/proc/{task}/mem", os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            self._send(number, errno.EPERM)
            return
        try:
            failed = self._carry_out(number, task, memory, call, arguments)
        finally:
            os.close(memory)
        if failed is not None:
            self._send(number, failed)

    def _carry_out(self, number: int, task: int, memory: int, call: int, arguments: list[int]) -> int | None:
        """Answer a call; return the errno, 0 for success, None if no thread waits any more."""
        try:
            if call == self._fstat:
                data, address = self._as_stat(_path(task, _signed(arguments[0]))), arguments[1]
            elif not self._has_no_name(memory, arguments[1]):
                # Only an empty name refers to the descriptor; the kernel looks up other names.
                return errno.EINVAL
            elif call == self._fstatat:
                if arguments[3] & 0xFFFFFFFF & ~_STAT_FLAGS:
                    return errno.EINVAL
                data, address = (
                    self._as_stat(_path(task, _signed(arguments[0]), or_folder=True)),
                    arguments[2],
                )
            else:
                flags, mask = arguments[2] & 0xFFFFFFFF, arguments[3] & 0xFFFFFFFF
                if flags & ~(_STAT_FLAGS | _SYNC_FLAGS):
                    return errno.EINVAL
                path = _path(task, _signed(arguments[0]), or_folder=True)
                data, address = self._as_statx(path, flags & _SYNC_FLAGS, mask), arguments[4]
        except OSError as error:
            return _ERRNO_AS_SEEN.get(error.errno or 0, error.errno or errno.EPERM)
        except OverflowError:
            return errno.EFAULT
        try:
            fcntl.ioctl(self._listener, _IS_WAITING, struct.pack("<Q", number))
        except OSError:
            return None
        try:
            return 0 if os.pwrite(memory, data, address) == len(data) else errno.EFAULT
        except (OSError, OverflowError):
            return errno.EFAULT

    def _as_stat(self, path: str) -> bytes:
        status = os.stat(path)  # noqa: PTH116 - half the time of a Path
        ino = self._number(status.st_dev, status.st_ino, status.st_mode)
        times = (
            part
            for ns in (status.st_atime_ns, status.st_mtime_ns, status.st_ctime_ns)
            for part in divmod(ns, 10**9)
        )
        links_and_mode = (status.st_nlink, status.st_mode)
        return self._stat.pack(
            status.st_dev,
            ino,
            *(links_and_mode if self._machine == "x86_64" else links_and_mode[::-1]),
            *(self._ids, self._ids, status.st_rdev, status.st_size, status.st_blksize, status.st_blocks),
            *times,
        )

    def _as_statx(self, path: str, flags: int, mask: int) -> bytes:
        buffer = ctypes.create_string_buffer(_STATX_BYTES)
        if _libc.statx(_AT_FDCWD, path.encode(), flags, ctypes.c_uint(mask), buffer) != 0:
            raise OSError(ctypes.get_errno(), path)
        major, minor = struct.unpack_from("<II", buffer, _STATX_DEV_AT)
        mode, ino = struct.unpack_from("<HxxQ", buffer, _STATX_MODE_AT)
        struct.pack_into("<Q", buffer, _STATX_INO_AT, self._number(os.makedev(major, minor), ino, mode))
        struct.pack_into("<II", buffer, _STATX_UID_AT, self._ids, self._ids)
        return buffer.raw

    def _number(self, device: int, ino: int, mode: int) -> int:
        # Named pipes outside its scratch disk are the worker's: standard input, output and error.
        if device == self._scratch or (device in self._devices and not stat.S_ISFIFO(mode)):
            return ino
        digest = hashlib.blake2b(struct.pack("<QQ", device, ino), digest_size=_NUMBER_BYTES, key=self._key)
        return int.from_bytes(digest.digest(), "little") | 1

    def _has_no_name(self, memory: int, address: int) -> bool:
        return not address or os.pread(memory, 1, address) == b"\0"

    def _send(self, number: int, failed: int) -> None:
        # Fails only if the calling thread has ended.
        with contextlib.suppress(OSError):
            fcntl.ioctl(self._listener, _SEND, _RESPONSE.pack(number, 0, -failed, 0))


def unavailable(error: OSError) -> SandboxUnavailable:
    """Return the error if a bot cannot be supervised, with the remedy."""
    return SandboxUnavailable(f"cannot answer stat calls of bots on descriptors: {error.strerror}", REMEDY)


def _path(task: int, fd: int, *, or_folder: bool = False) -> str:
    """Return the /proc path of a task's descriptor; with ``or_folder`` also of its working folder."""
    if or_folder and fd == _AT_FDCWD:
        return f"/proc/{task}/cwd"
    if fd < 0:
        raise OSError(errno.EBADF, "negative")
    return f"/proc/{task}/fd/{fd}"


def _signed(argument: int) -> int:
    """Convert to an int of which the kernel reads 32 bits."""
    return (argument & 0xFFFFFFFF ^ 0x80000000) - 0x80000000
