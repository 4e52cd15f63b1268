"""Releases of the live processes of an installation: each sets a key on the queue server while it lives.

The second step of a migration waits until no process of an older release is left.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
from typing import NamedTuple

import redis

from arena.common.metrics import queue_client
from arena.common.revisions import release

log = logging.getLogger(__name__)

KEY = "rensho:release:"
EVERY_S = 5.0
KEPT_S = 30
"""Expiry of a key in seconds."""
WORKER_KEPT_S = 900
"""Expiry of a worker's key. A stopping worker does not announce itself while it finishes its tables."""


class LiveProcess(NamedTuple):
    name: str
    """Kind, host and process id, such as ``web box 1234``."""
    release: str


def release_announce(kind: str, kept_s: int = KEPT_S) -> None:
    """Announce this process once. Fails silently: without the queue server, nothing is contracted anyway."""
    try:
        with queue_client() as client:
            client.set(f"{KEY}{kind}:{socket.gethostname()}:{os.getpid()}", release(), ex=kept_s)
    except redis.RedisError as error:
        log.debug("the release of this process is not announced: %s", error)


def release_withdraw(kind: str) -> None:
    """Withdraw the announcement of this process, which ends."""
    try:
        with queue_client() as client:
            client.delete(f"{KEY}{kind}:{socket.gethostname()}:{os.getpid()}")
    except redis.RedisError as error:
        log.debug("the release of this process is not withdrawn: %s", error)


def release_announce_regularly(kind: str) -> None:
    """Announce this process in a thread while it lives."""
    threading.Thread(target=_announce, args=(kind,), name="release", daemon=True).start()


def _announce(kind: str) -> None:
    while True:
        release_announce(kind)
        time.sleep(EVERY_S)


def live_processes() -> list[LiveProcess]:
    """Return the processes that announced themselves lately, sorted; raises ``redis.RedisError``."""
    with queue_client() as client:
        keys = sorted(client.scan_iter(f"{KEY}*", count=1000))
        values = client.mget(keys) if keys else []
    return [
        LiveProcess(key.decode().removeprefix(KEY).replace(":", " "), value.decode())
        for key, value in zip(keys, values, strict=True)
        if value
    ]
