"""An ordinary user for tests that run as root: a uid for each process, so that runs never share one."""

from __future__ import annotations

import fcntl
import functools
import os

from referee.runtimes import safe_folder
from referee.sandbox.uids import FIRST_UID, LOCKS

UIDS = range(FIRST_UID - 1000, FIRST_UID)
"""Below the pool of service users, so that no bot of a root worker is ever this one."""


@functools.cache
def ordinary_uid() -> int:
    """A uid that no bot and no other process of any run has; free again when this process ends."""
    folder = safe_folder(LOCKS)
    for uid in UIDS:
        fd = os.open(folder / f"test-{uid}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
        else:
            return uid
    raise RuntimeError(f"all uids of {UIDS} are taken by runs of the tests. Remedy: end some of them")
