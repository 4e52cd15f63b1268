"""Service users for bots of a root worker: one uid per running bot, so that bots cannot access each other.

A worker takes a uid by locking its file; the kernel releases the lock when the worker dies.
"""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import NamedTuple

from referee.errors import SandboxUnavailable
from referee.runtimes.stage import safe_folder, try_lock_file

FIRST_UID, LAST_UID = 61000, 61999
LOCKS = Path("/run/rensho-uids")
"""Outside the staging area: workers with different staging areas share the machine's uids."""


class UidLease(NamedTuple):
    """A uid reserved until the descriptor is closed."""

    uid: int
    fd: int

    def release(self) -> None:
        os.close(self.fd)


def lease_uid() -> UidLease:
    """Reserve a free uid of the pool, or raise ``SandboxUnavailable`` if all are taken."""
    safe_folder(LOCKS)
    count = LAST_UID - FIRST_UID + 1
    offset = random.randrange(count)
    for step in range(count):
        uid = FIRST_UID + (offset + step) % count
        if (fd := try_lock_file(LOCKS / str(uid))) is not None:
            return UidLease(uid, fd)
    raise SandboxUnavailable(
        f"all uids from {FIRST_UID} to {LAST_UID} are taken by running bots",
        "Run fewer workers on this machine.",
    )
