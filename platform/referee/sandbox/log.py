"""A bot's standard error: what is kept of it, and how the rest is accounted for."""

from __future__ import annotations

TAIL_BYTES = 2048


class KeptLog:
    """The beginning and the end of a log; what lies between is counted, not kept."""

    __slots__ = ("_head", "_head_bytes", "_tail", "total_bytes")

    def __init__(self, keep_bytes: int) -> None:
        self._head_bytes = max(keep_bytes - TAIL_BYTES, 0)
        self._head = b""
        self._tail = b""
        self.total_bytes = 0
        """Everything written so far, kept or not."""

    def add(self, chunk: bytes) -> None:
        """Take note of what the bot wrote."""
        self.total_bytes += len(chunk)
        room = self._head_bytes - len(self._head)
        if room > 0:
            self._head += chunk[:room]
            chunk = chunk[room:]
        if chunk:
            self._tail = (self._tail + chunk)[-TAIL_BYTES:]

    def tail(self) -> bytes:
        """The last bytes, at most ``TAIL_BYTES``."""
        return (self._head + self._tail)[-TAIL_BYTES:]

    def kept(self) -> bytes:
        """The log as it is kept: whole, or with marks where and by how much it was cut."""
        lost = self.total_bytes - len(self._head) - len(self._tail)
        if not lost:
            return self._head + self._tail
        gap = f"\n[... {lost} bytes left out ...]\n".encode()
        return (
            self._head + gap + self._tail + f"\n[log cut: {self.total_bytes} bytes were written]\n".encode()
        )
