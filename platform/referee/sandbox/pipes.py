"""Two of a bot's pipes: its standard input, with unread data, and its log on standard error."""

from __future__ import annotations

import os
import select

READ_BYTES = 8 << 10
"""Read size; a larger one costs more even if nothing comes."""
TAIL_BYTES = 2048


class InputPipe:
    """A bot's standard input: takes lines without waiting for the bot to read them."""

    __slots__ = ("_backlog", "_fd", "_poller", "_unread_bytes")

    def __init__(self, fd: int, poller: select.poll, unread_bytes: int) -> None:
        """Write to ``fd``; while something waits, ``poller`` looks for room in the pipe.

        ``unread_bytes`` is how much may wait besides what the pipe itself holds.
        """
        self._fd = fd
        self._poller = poller
        self._unread_bytes = unread_bytes
        self._backlog = b""

    def write(self, data: bytes) -> bool:
        """Write what the pipe has room for, buffer the rest; False if too much is already waiting.

        Raises:
            BrokenPipeError: the bot has closed it, or is gone.
        """
        if self._backlog:
            if len(self._backlog) > self._unread_bytes:
                return False
            self._backlog += data
            return True
        try:
            written = os.write(self._fd, data)
        except BlockingIOError:
            written = 0
        if written < len(data):
            self._backlog = data[written:]
            self._poller.register(self._fd, select.POLLOUT)
        return True

    def flush(self) -> bool:
        """Write more of what waits; False if the bot has closed the pipe, and nothing waits any more."""
        is_open = True
        try:
            self._backlog = self._backlog[os.write(self._fd, self._backlog) :]
        except BlockingIOError:
            return True
        except BrokenPipeError:
            self._backlog, is_open = b"", False
        if not self._backlog:
            self._poller.unregister(self._fd)
        return is_open


class KeptLog:
    """A bot's standard error: beginning and end are kept, the rest is only counted."""

    __slots__ = ("_head", "_head_bytes", "_tail", "total_bytes")

    def __init__(self, keep_bytes: int) -> None:
        self._head_bytes = max(keep_bytes - TAIL_BYTES, 0)
        self._head = b""
        self._tail = b""
        self.total_bytes = 0
        """Everything written so far, kept or not."""

    def add(self, chunk: bytes) -> None:
        """Count what the bot wrote and keep it where it is beginning or end."""
        self.total_bytes += len(chunk)
        room = self._head_bytes - len(self._head)
        if room > 0:
            self._head += chunk[:room]
            chunk = chunk[room:]
        if chunk:
            self._tail = (self._tail + chunk)[-TAIL_BYTES:]

    def drain(self, fd: int, most_bytes: int) -> bool:
        """Read until more than ``most_bytes`` were written in total; False if the pipe is closed."""
        try:
            while self.total_bytes <= most_bytes:
                chunk = os.read(fd, READ_BYTES)
                if not chunk:
                    return False
                self.add(chunk)
        except BlockingIOError:
            pass
        return True

    def tail(self) -> bytes:
        """The last bytes, at most ``TAIL_BYTES``."""
        return (self._head + self._tail)[-TAIL_BYTES:]

    def kept(self) -> bytes:
        """The log as stored: whole, or with marks where and by how much it was cut."""
        dropped_bytes = self.total_bytes - len(self._head) - len(self._tail)
        if not dropped_bytes:
            return self._head + self._tail
        gap = f"\n[... {dropped_bytes} bytes left out ...]\n".encode()
        return (
            self._head + gap + self._tail + f"\n[log cut: {self.total_bytes} bytes were written]\n".encode()
        )
