"""Files that are written whole or not at all, and read if they are not too large."""

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
"""Of a new file, less what the umask takes away; a temporary one is its owner's alone."""


@contextmanager
def open_atomic(path: Path, *, mode: int = DEFAULT_MODE) -> Iterator[BinaryIO]:
    """A file to write to, which takes the place of ``path`` at the end of the block, and not before.

    If the block raises, ``path`` is as it was, and nothing is left beside it. Folders are made at need; where
    ``mode`` is for its owner alone, so are they.

    Raises:
        EnvironmentFailure: it cannot be written.
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
    """Write a whole file.

    Raises:
        EnvironmentFailure: it cannot be written.
    """
    with open_atomic(path) as file:
        file.write(data)


def read_limited(path: Path, most_bytes: int) -> bytes:
    """What a small file holds.

    Raises:
        InvalidInput: it cannot be read, or is larger than that.
    """
    try:
        with path.open("rb") as file:
            data = file.read(most_bytes + 1)
    except OSError as error:
        raise InvalidInput(f"cannot read {path}: {error.strerror}") from None
    if len(data) > most_bytes:
        raise InvalidInput(f"{path} has more than {most_bytes} bytes: leave out or divide what it holds")
    return data


def read_text(path: Path, most_bytes: int) -> str:
    """Return the text of a small file that a person wrote, without its byte order mark.

    Raises:
        InvalidInput: it cannot be read, is larger than that, or is not UTF-8.
    """
    try:
        return text_decoded(read_limited(path, most_bytes), str(path))
    except TextFileError as error:
        raise InvalidInput(str(error)) from None


def _umask() -> int:
    """The process's umask, which can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
