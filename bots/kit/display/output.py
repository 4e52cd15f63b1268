"""Escaping and error handling of standard output and standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO, cast

from bots.kit.errors import OutputFailed
from engine.printable import PrintableStream


class _CheckedStream:
    """Stream whose write errors are raised as ``OutputFailed`` with its name."""

    def __init__(self, stream: TextIO, name: str) -> None:
        self.stream = stream
        self.output_name = name

    def write(self, text: str) -> int:
        with _report_failures(self.output_name):
            return self.stream.write(text)

    def flush(self) -> None:
        with _report_failures(self.output_name):
            self.stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


@contextmanager
def guarded_output() -> Iterator[None]:
    """Escape unprintable text on standard output and standard error within the block.

    Raise ``OutputFailed`` if standard output cannot be written, ``BrokenPipeError`` if its reader closed it.
    """
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = _guarded(sys.stdout, "standard output"), _guarded(sys.stderr, "standard error")
    try:
        yield
    finally:
        try:
            # Here, and not at the interpreter's end, which would complain of a reader who has gone.
            sys.stdout.flush()
        finally:
            sys.stdout, sys.stderr = before


def discard_output() -> None:
    """Redirect buffered standard output to the null device after it could not be written."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def write_stdout(chunks: Iterable[bytes]) -> None:
    """Write bytes to standard output without escaping. Raise ``OutputFailed`` if that fails."""
    with _report_failures("standard output"):
        for chunk in chunks:
            sys.stdout.buffer.write(chunk)
        sys.stdout.buffer.flush()


def _guarded(stream: TextIO | None, name: str) -> TextIO:
    # Python has None for a descriptor that was closed before it began.
    opened = stream if stream is not None else open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    return cast(TextIO, PrintableStream(cast(TextIO, _CheckedStream(opened, name))))


@contextmanager
def _report_failures(name: str) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputFailed(f"{name} cannot be written: {error.strerror or error}") from None
