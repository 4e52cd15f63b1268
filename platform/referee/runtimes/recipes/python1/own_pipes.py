"""Pipes and pairs of sockets without the kernel's own: ``os`` and ``socket`` of the tree fall back on these.

The kernel numbers pipes and sockets for the whole machine, and any bot can read and move that count, so the
sandbox refuses to make them. A named pipe on the bot's own scratch disk, its name removed at once, serves
within a process just as well and is numbered by that disk. Standard library only; becomes ``_own_pipes``.
"""

from __future__ import annotations

import itertools
import os
import posix
import select

AF_UNIX, SOCK_STREAM = 1, 1
_numbers = itertools.count(1)


def pipe2(flags: int) -> tuple[int, int]:
    """Like ``os.pipe2``: the ends to read and to write; OSError where the scratch disk is full."""
    path = f"/tmp/.pipe-{os.getpid()}-{next(_numbers)}"
    posix.mkfifo(path, 0o600)
    try:
        # To open the one end does not wait for the other.
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
    """One end of a pair of connected streams, as far as event loops and threads use one."""

    family, type, proto = AF_UNIX, SOCK_STREAM, 0

    def __init__(self, reader: int, writer: int) -> None:
        self._reader, self._writer = reader, writer
        self._timeout: float | None = None

    def fileno(self) -> int:
        """The descriptor to read from; -1 once closed."""
        return self._reader

    def recv(self, size: int, flags: int = 0) -> bytes:
        """Up to so many bytes; none once the other end is closed."""
        self._wait(self._reader, select.POLLIN)
        return os.read(self._reader, size)

    def recv_into(self, buffer: bytearray | memoryview, size: int = 0, flags: int = 0) -> int:
        """The same, into a buffer; how many."""
        view = memoryview(buffer).cast("B")
        data = self.recv(size or len(view))
        view[: len(data)] = data
        return len(data)

    def send(self, data: bytes | memoryview, flags: int = 0) -> int:
        """How many of the bytes were taken."""
        self._wait(self._writer, select.POLLOUT)
        return os.write(self._writer, data)

    def sendall(self, data: bytes | memoryview, flags: int = 0) -> None:
        """All of them."""
        view = memoryview(data).cast("B")
        while view:
            view = view[self.send(view) :]

    def setblocking(self, flag: bool) -> None:
        """Whether calls wait."""
        self.settimeout(None if flag else 0.0)

    def getblocking(self) -> bool:
        """Whether calls wait."""
        return self._timeout != 0.0

    def settimeout(self, seconds: float | None) -> None:
        """How long calls wait; None: for ever."""
        self._timeout = seconds
        for end in (self._reader, self._writer):
            os.set_blocking(end, seconds is None)

    def gettimeout(self) -> float | None:
        """How long calls wait."""
        return self._timeout

    def shutdown(self, how: int) -> None:
        """Nothing more is sent (1), or neither way (2)."""
        if how and self._writer >= 0:
            os.close(self._writer)
            self._writer = -1

    def close(self) -> None:
        """Give both descriptors back."""
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
    """Two connected local streams; OSError for another family or type."""
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
"""What the tree adds to ``socket.py``."""
