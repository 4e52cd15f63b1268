"""Atomic writes and size-limited reads of files."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from bots.kit.errors import EnvironmentFailure, InvalidInput
from referee.text_files import TextFileError, text_decoded

DEFAULT_MODE = 0o666
"""Mode of new files before the umask. Temporary files are readable only by their owner."""


@contextmanager
def open_atomic(path: Path, *, mode: int = DEFAULT_MODE) -> Iterator[BinaryIO]:
    """Open a temporary file that replaces ``path`` when the block ends, or is deleted if the block raises.

    Missing folders are created, private ones if ``mode`` is private. Raise ``EnvironmentFailure`` if the file
    cannot be written.
    """
    try:
        path.parent.mkdir(0o777 if mode == DEFAULT_MODE else 0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:80]}.")
    except OSError as error:
        raise EnvironmentFailure(f"cannot write {path}: {error.strerror}") from None
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w+b") as file:
            try:
                yield file
                file.flush()
                os.fsync(file.fileno())  # or a power cut could leave an empty file in place of the old one
                os.fchmod(file.fileno(), mode & ~_umask())
                temporary.replace(path)
            except OSError as error:
                raise EnvironmentFailure(f"cannot write {path}: {error.strerror or error}") from None
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def write_atomic(path: Path, data: bytes) -> None:
    """Replace the content of a file. Raise ``EnvironmentFailure`` if the file cannot be written."""
    with open_atomic(path) as file:
        file.write(data)


def read_limited(path: Path, max_bytes: int) -> bytes:
    """Return the content of a file. Raise ``InvalidInput`` if it is unreadable or above ``max_bytes``."""
    try:
        with path.open("rb") as file:
            data = file.read(max_bytes + 1)
    except OSError as error:
        raise InvalidInput(f"cannot read {path}: {error.strerror}") from None
    if len(data) > max_bytes:
        raise InvalidInput(f"{path} has more than {max_bytes} bytes: shorten or divide it")
    return data


def read_text(path: Path, max_bytes: int) -> str:
    """Return the text of a UTF-8 file without its byte order mark. Raises as ``read_limited``."""
    try:
        return text_decoded(read_limited(path, max_bytes), str(path))
    except TextFileError as error:
        raise InvalidInput(str(error)) from None


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
