"""Compressed bytes read piece by piece: nothing comes out of a decompressor uncounted."""

from __future__ import annotations

import zlib

from referee.archive_limits import Meter, damaged_error

_CHUNK = 64 << 10
_RAW = -15
"""Value of ``wbits``."""


def inflate(data: bytes, size: int, meter: Meter) -> bytes:
    """What raw deflate data of a zip's member holds, which is said to be ``size`` bytes.

    Raises:
        BundleError: damaged, of another size, or more than may be unpacked.
    """
    inflater = _Inflater(data, meter)
    content = inflater.read(size)
    if len(content) < size or inflater.read(1) or inflater.rest():
        raise damaged_error("zip: a member has another size than its header says")
    return content


class _Inflater:
    """A decompressor over bytes in memory, fed with small pieces and asked for small pieces."""

    def __init__(self, data: bytes, meter: Meter) -> None:
        self._data = memoryview(data)
        self._fed = 0
        self._stream = zlib.decompressobj(wbits=_RAW)
        self._meter = meter

    def read(self, count: int) -> bytes:
        """The next ``count`` bytes, or fewer at the end."""
        out = bytearray()
        while len(out) < count:
            piece = self._piece(min(count - len(out), _CHUNK))
            if not piece:
                break
            out += piece
        return bytes(out)

    def rest(self) -> bytes:
        """What follows the end of the compressed data."""
        return self._stream.unused_data + bytes(self._data[self._fed :])

    def _piece(self, most: int) -> bytes:
        """At least one byte and at most ``most``; none at the end.

        Raises:
            BundleError: damaged, ends too early, or more than may be unpacked.
        """
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
