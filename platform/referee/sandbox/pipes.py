"""Two pipes of a bot: standard input, with a buffer for unread data, and the log on standard error."""

from __future__ import annotations

import os
import select

READ_BYTES = 8 << 10
"""Read size; a larger buffer costs more even if no data arrives."""
TAIL_BYTES = 2048


class InputPipe:
    """Standard input of a bot: accepts lines without waiting until the bot reads them."""

    __slots__ = ("_backlog", "_fd", "_poller", "_unread_bytes")

    def __init__(self, fd: int, poller: select.poll, unread_bytes: int) -> None:
        """Write to ``fd``; ``poller`` reports room in the pipe while up to ``unread_bytes`` are buffered."""
        self._fd = fd
        self._poller = poller
        self._unread_bytes = unread_bytes
        self._backlog = b""

    def write(self, data: bytes) -> bool:
        """Write as much as the pipe has room for and buffer the rest; False if too much is buffered already.

        Raise ``BrokenPipeError`` if the bot has closed it or ended.
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
    """Standard error of a bot: stores the beginning and the end, counts the rest."""

    __slots__ = ("_head", "_head_bytes", "_tail", "total_bytes")

    def __init__(self, keep_bytes: int) -> None:
        self._head_bytes = max(keep_bytes - TAIL_BYTES, 0)
        self._head = b""
        self._tail = b""
        self.total_bytes = 0
        """Bytes written so far, stored or not."""

    def add(self, chunk: bytes) -> None:
        self.total_bytes += len(chunk)
        room = self._head_bytes - len(self._head)
        if room > 0:
            self._head += chunk[:room]
            chunk = chunk[room:]
        if chunk:
            self._tail = (self._tail + chunk)[-TAIL_BYTES:]

    def drain(self, fd: int, most_bytes: int) -> bool:
        """Read until the total exceeds ``most_bytes`` or nothing is left; False if the pipe is closed."""
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
        return (self._head + self._tail)[-TAIL_BYTES:]

    def kept(self) -> bytes:
        """Return the log for storage: complete, or with marks at the cut and for its size."""
        dropped_bytes = self.total_bytes - len(self._head) - len(self._tail)
        if not dropped_bytes:
            return self._head + self._tail
        gap = f"\n[... {dropped_bytes} bytes left out ...]\n".encode()
        return (
            self._head + gap + self._tail + f"\n[log cut: {self.total_bytes} bytes were written]\n".encode()
        )
