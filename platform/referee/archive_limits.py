"""Limits for reading an uploaded archive, and the errors for exceeding them."""

from __future__ import annotations

import time
from typing import NamedTuple

from engine.refusals import quoted
from referee.errors import BundleError

MAX_MEMBERS = 200
"""Maximum files of a bot."""
MAX_MEMBER_BYTES = 16 << 20
MAX_TOTAL_BYTES = 32 << 20
MAX_ARCHIVE_BYTES = MAX_TOTAL_BYTES + (1 << 20)
"""Contents and headers: an acceptable bot is smaller even without compression."""
MAX_ENTRIES = 10_000
"""Maximum members of any kind, including folders and ignored files, which must be read as well."""
MAX_NAME_BYTES = 1024
"""Maximum length of a member's name, including wrapper folders."""
MAX_UNPACK_CPU_S = 0.8
"""Several times the cost of 32 MiB. Some streams cost a hundred times more than their output justifies."""


class Member(NamedTuple):
    """One regular file of an archive, with its name as stored."""

    name: str
    data: bytes


class Meter:
    """Counts the unpacked bytes, including headers, and the CPU time of unpacking."""

    def __init__(self, most_bytes: int = MAX_ARCHIVE_BYTES, most_cpu_s: float = MAX_UNPACK_CPU_S) -> None:
        self.unpacked_bytes = 0
        self._most_bytes = most_bytes
        self._most_cpu_s = most_cpu_s
        self._cpu_s = 0.0
        self._began_s = 0.0

    def begin(self) -> None:
        self._began_s = time.thread_time()

    def take(self, count: int) -> None:
        """Count the output of the call that ``begin`` announced. Raise ``BundleError`` beyond a limit."""
        self._cpu_s += time.thread_time() - self._began_s
        self.unpacked_bytes += count
        if self.unpacked_bytes > self._most_bytes:
            raise too_large_error("unpacked, the archive has more bytes", self._most_bytes)
        if self._cpu_s > self._most_cpu_s:
            raise BundleError(
                "too_costly",
                f"the archive takes more than {self._most_cpu_s} s of CPU to unpack, which no ordinary "
                "zip does: pack it again",
                is_unreadable=True,
            )


def check_size(name: str, size: int) -> None:
    """Raise ``BundleError`` if a member is too large."""
    if size > MAX_MEMBER_BYTES:
        raise too_large_error(f"file {_quoted_name(name)} is larger than allowed", MAX_MEMBER_BYTES)


def check_name_length(name: bytes) -> None:
    """Raise ``BundleError`` if a name is too long to be decoded."""
    if len(name) > MAX_NAME_BYTES:
        raise BundleError(
            "path_too_long",
            f"the name {quoted(name)} of a member is longer than {MAX_NAME_BYTES} bytes: shorten it",
        )


def too_many_files_error() -> BundleError:
    return BundleError(
        "too_many_files",
        f"the archive has more than {MAX_MEMBERS} files: leave out what the bot does not read",
    )


def too_many_entries_error() -> BundleError:
    return BundleError(
        "too_many_files",
        f"the archive has more than {MAX_ENTRIES} members, {MAX_MEMBERS} files are allowed: "
        "leave out what the bot does not read",
    )


def too_large_error(subject: str, limit: int) -> BundleError:
    return BundleError(
        "too_large",
        f"{subject}, {limit} are allowed: leave out what the bot does not read",
        is_unreadable=True,
    )


def damaged_error(detail: str) -> BundleError:
    return BundleError("damaged", f"the archive is damaged ({detail}): pack it again", is_unreadable=True)


def special_file_error(name: str, kind: str) -> BundleError:
    code, remedy = ("link", "put in the file itself") if "link" in kind else ("special_file", "remove it")
    return BundleError(code, f"member {_quoted_name(name)} is {kind}: {remedy}")


def _quoted_name(name: str) -> str:
    """Quote a file name as its author knows it, without a prefix ``./``."""
    return quoted(name.removeprefix("./"))
