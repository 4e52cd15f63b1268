"""Pipes and socket pairs without pipe2(2) and socketpair(2), as fallback for the tree's ``os`` and
``socket``.

The kernel counts inode numbers of pipes and sockets machine-wide, and any bot can read and advance that
counter, so the sandbox refuses to create them. A named pipe on the bot's own scratch disk, unlinked at once,
serves as well. Uses only the standard library; installed as ``_own_pipes``.
"""

from __future__ import annotations

import itertools
import os
import posix
import select

AF_UNIX, SOCK_STREAM = 1, 1
_numbers = itertools.count(1)


def pipe2(flags: int) -> tuple[int, int]:
    """Replace ``os.pipe2``: return the read and write ends; OSError if the scratch disk is full."""
    path = f"/tmp/.pipe-{os.getpid()}-{next(_numbers)}"
    posix.mkfifo(path, 0o600)
    try:
        # Non-blocking, so that opening one end does not wait for the other.
        reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            writer = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            os.close(reader)
            raise
    finally:
        posix.unlink(path)
    for end in (reader, writer):
        os.set_blocking(end, bool(not flags & os.O_NONBLOCK))
        os.set_inheritable(end, not flags & os.O_CLOEXEC)
    return reader, writer


class PairedStream:
    """One end of a pair of connected streams, with the methods that event loops and threads use."""

    family, type, proto = AF_UNIX, SOCK_STREAM, 0

    def __init__(self, reader: int, writer: int) -> None:
        self._reader, self._writer = reader, writer
        self._timeout: float | None = None

    def fileno(self) -> int:
        return self._reader

    def recv(self, size: int, flags: int = 0) -> bytes:
        """Return at most ``size`` bytes; empty once the other end is closed."""
        self._wait(self._reader, select.POLLIN)
        return os.read(self._reader, size)

    def recv_into(self, buffer: bytearray | memoryview, size: int = 0, flags: int = 0) -> int:
        view = memoryview(buffer).cast("B")
        data = self.recv(size or len(view))
        view[: len(data)] = data
        return len(data)

    def send(self, data: bytes | memoryview, flags: int = 0) -> int:
        self._wait(self._writer, select.POLLOUT)
        return os.write(self._writer, data)

    def sendall(self, data: bytes | memoryview, flags: int = 0) -> None:
        view = memoryview(data).cast("B")
        while view:
            view = view[self.send(view) :]

    def setblocking(self, flag: bool) -> None:
        self.settimeout(None if flag else 0.0)

    def getblocking(self) -> bool:
        return self._timeout != 0.0

    def settimeout(self, seconds: float | None) -> None:
        """Set the maximum wait of a call; None for no limit."""
        self._timeout = seconds
        for end in (self._reader, self._writer):
            os.set_blocking(end, seconds is None)

    def gettimeout(self) -> float | None:
        return self._timeout

    def shutdown(self, how: int) -> None:
        """Close the writing end if ``how`` is 1 or 2; reading continues."""
        if how and self._writer >= 0:
            os.close(self._writer)
            self._writer = -1

    def close(self) -> None:
        ends, self._reader, self._writer = (self._reader, self._writer), -1, -1
        for end in ends:
            if end >= 0:
                os.close(end)

    def __enter__(self) -> PairedStream:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def _wait(self, end: int, event: int) -> None:
        if self._timeout:
            poller = select.poll()
            poller.register(end, event)
            if not poller.poll(self._timeout * 1e3):
                raise TimeoutError("timed out")


def socketpair(family: int | None, type: int) -> tuple[PairedStream, PairedStream]:
    """Return two connected local streams; OSError for another family or type."""
    if family not in (None, AF_UNIX) or type & 0xF != SOCK_STREAM:
        raise PermissionError(1, "Operation not permitted")
    there, back = pipe2(os.O_CLOEXEC), pipe2(os.O_CLOEXEC)
    return PairedStream(back[0], there[1]), PairedStream(there[0], back[1])


SOCKET = """

_kernel_socketpair = socketpair


def socketpair(family=None, type=SOCK_STREAM, proto=0):
    try:
        return _kernel_socketpair(family, type, proto)
    except PermissionError:
        import _own_pipes
        return _own_pipes.socketpair(family, type)
"""
"""Code appended to the tree's ``socket.py``."""
