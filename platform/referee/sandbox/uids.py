"""Service users for bots of a root worker: one uid for each running bot, so that none can touch another.

A uid is taken by locking its file; the kernel gives it back when the worker dies.
"""

from __future__ import annotations

import fcntl
import os
import random
from pathlib import Path
from typing import NamedTuple

from referee.errors import SandboxUnavailable
from referee.runtimes.stage import safe_folder

FIRST_UID, LAST_UID = 61000, 61999
LOCKS = Path("/run/rensho-uids")
"""Outside the staging area: workers with different areas share the machine's uids all the same."""


class Lease(NamedTuple):
    """A uid that is ours until the descriptor is closed."""

    uid: int
    fd: int

    def release(self) -> None:
        """Give the uid back; once only."""
        os.close(self.fd)


def lease_uid() -> Lease:
    """A free uid of the pool.

    Raises:
        SandboxUnavailable: all are taken.
    """
    safe_folder(LOCKS)
    count = LAST_UID - FIRST_UID + 1
    offset = random.randrange(count)
    for step in range(count):
        uid = FIRST_UID + (offset + step) % count
        fd = os.open(LOCKS / str(uid), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
        else:
            return Lease(uid, fd)
    raise SandboxUnavailable(
        f"all uids from {FIRST_UID} to {LAST_UID} are taken by running bots",
        "Run fewer workers on this machine.",
    )
