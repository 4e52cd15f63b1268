"""Decompression in small pieces, with every byte of output counted."""

from __future__ import annotations

import zlib

from referee.archive_limits import Meter, damaged_error

_CHUNK = 64 << 10
_RAW = -15
"""Value of ``wbits`` for raw deflate data."""


def inflate(data: bytes, size: int, meter: Meter) -> bytes:
    """Decompress raw deflate data of a zip member with a declared size of ``size`` bytes.

    Raise ``BundleError`` if it is damaged, of another size, or beyond the unpacking limits.
    """
    inflater = _Inflater(data, meter)
    content = inflater.read(size)
    if len(content) < size or inflater.read(1) or inflater.rest():
        raise damaged_error("zip: a member has another size than its header says")
    return content


class _Inflater:
    """A decompressor over bytes in memory with bounded input and output per call."""

    def __init__(self, data: bytes, meter: Meter) -> None:
        self._data = memoryview(data)
        self._fed = 0
        self._stream = zlib.decompressobj(wbits=_RAW)
        self._meter = meter

    def read(self, count: int) -> bytes:
        out = bytearray()
        while len(out) < count:
            piece = self._piece(min(count - len(out), _CHUNK))
            if not piece:
                break
            out += piece
        return bytes(out)

    def rest(self) -> bytes:
        return self._stream.unused_data + bytes(self._data[self._fed :])

    def _piece(self, most: int) -> bytes:
        """Return 1 to ``most`` bytes; empty at the end. Raises ``BundleError`` as ``inflate`` does."""
        while not self._stream.eof:
            waiting: bytes | memoryview = self._stream.unconsumed_tail
            if not waiting:
                waiting = self._data[self._fed : self._fed + _CHUNK]
                self._fed += len(waiting)
            self._meter.begin()
            try:
                piece = self._stream.decompress(waiting, most)
            except zlib.error as error:
                raise damaged_error(f"zip: {error}") from error
            self._meter.take(len(piece))
            if piece:
                return piece
            if not waiting and not self._stream.eof:
                raise damaged_error("zip: it ends too early")
        return b""
