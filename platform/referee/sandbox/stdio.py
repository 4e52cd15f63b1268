"""Standard input, output and error of a bot: named pipes in the staging area, unlinked at once.

A bot can read the inode number of each; those of unnamed pipes are counted machine-wide.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import time
from pathlib import Path

from referee.runtimes import safe_folder

ABANDONED_S = 60.0
"""Names exist for a fraction of a millisecond; older ones were left by a killed worker."""


class StdioPipes:
    """Both ends of the three pipes. The worker's ends never block; the bot's ends do."""

    def __init__(self, stage: Path) -> None:
        """Create the pipes; ``OSError`` if the area is full, ``SandboxUnavailable`` if it is unusable."""
        folder = _folder(stage)
        self._order: str | None = None
        self._open: list[int] = []
        try:
            self.stdin, self.bots_stdin = self._pair(folder)[::-1]
            self.stdout, self.bots_stdout = self._pair(folder)
            self.stderr, self.bots_stderr = self._pair(folder)
            for fd in (self.bots_stdin, self.bots_stdout, self.bots_stderr):
                os.set_blocking(fd, True)
        except BaseException:
            self.close()
            raise

    def handed_over(self) -> None:
        """Close the bot's ends here once the chain has them, so that their end is noticed."""
        for fd in (self.bots_stdin, self.bots_stdout, self.bots_stderr):
            self._open.remove(fd)
            os.close(fd)

    def order_file(self, stage: Path, order: bytes) -> Path:
        """Write the jailer's configuration to a file, which exists until ``order_read`` or ``close``."""
        self._order = path = _name(_folder(stage))
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            os.write(fd, order)
        finally:
            os.close(fd)
        return Path(path)

    def order_read(self) -> None:
        if self._order is not None:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self._order)  # noqa: PTH108 - a start is counted in microseconds
            self._order = None

    def close(self) -> None:
        """Close all open ends, so that a dying process does not block on a write. Idempotent."""
        self.order_read()
        while self._open:
            os.close(self._open.pop())

    def _pair(self, folder: Path) -> tuple[int, int]:
        """Return the read and write ends of a new pipe; opening neither end blocks."""
        path = _name(folder)
        os.mkfifo(path, 0o600)
        try:
            # O_NOATIME: updating the access time would cost time.
            reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOATIME | os.O_CLOEXEC)
            self._open.append(reader)
            writer = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            self._open.append(writer)
        finally:
            os.unlink(path)  # noqa: PTH108 - a start is counted in microseconds
        return reader, writer


def remove_abandoned_names(stage: Path) -> list[str]:
    """Remove names that killed workers left in this staging area; return a sentence for each."""
    done = []
    with contextlib.suppress(OSError):
        for path in list(_folder(stage).iterdir()):
            with contextlib.suppress(OSError):
                if time.time() - path.lstat().st_mtime > ABANDONED_S:
                    path.unlink()
                    done.append(f"removed pipe {path.name}, left by a worker that has ended")
    return done


def _name(folder: Path) -> str:
    return f"{folder}/{os.getpid()}-{secrets.token_hex(6)}"


def _folder(stage: Path) -> Path:
    folder = stage / "streams"
    if not folder.is_dir():
        safe_folder(folder).chmod(0o700)
    return folder
