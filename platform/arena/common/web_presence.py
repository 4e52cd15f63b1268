"""Presence of web processes: each sets a key in the broker, which the doctor and remote tables read."""

from __future__ import annotations

import datetime
import logging
import os
import socket
import threading
import time

import redis
from django.conf import settings
from django.utils import timezone

log = logging.getLogger(__name__)

KEY = "rensho:web:"
EVERY_S = 5.0
KEPT_S = 15
"""Expiry of the key in seconds."""
ANSWER_S = 3.0


def web_presence_start(address: str) -> None:
    """Announce this process, which serves at ``address``, while it lives, once the broker answers."""
    threading.Thread(target=_mark, args=(address,), name="web-presence", daemon=True).start()


def web_processes() -> list[str]:
    """Return host, process id and address of live web processes, sorted; raises ``redis.RedisError``."""
    with _client() as client:
        keys = sorted(client.scan_iter(f"{KEY}*", count=1000))
        values = client.mget(keys) if keys else []
    names = [key.decode().removeprefix(KEY) for key in keys]
    return [f"{name} at {value.decode()}" for name, value in zip(names, values, strict=True) if value]


def last_web_presence() -> datetime.datetime | None:
    """Return when a web process last announced itself; None if unknown, as without a broker."""
    now = timezone.now()
    try:
        with _client() as client, client.pipeline(transaction=False) as pipeline:
            for key in client.scan_iter(f"{KEY}*", count=1000):
                pipeline.pttl(key)
            left_ms = max(pipeline.execute(), default=0)
    except redis.RedisError:
        return None
    return now - datetime.timedelta(milliseconds=KEPT_S * 1000 - left_ms) if left_ms > 0 else None


def _mark(address: str) -> None:
    name = f"{KEY}{socket.gethostname()}:{os.getpid()}"
    is_marked = False  # the first failure is in the report of the start
    with _client() as client:
        while True:
            try:
                client.set(name, address, ex=KEPT_S)
                is_marked = True
            except redis.RedisError as error:
                if is_marked:
                    log.warning("cannot tell the queue server that the site is served: %s", error)
                is_marked = False
            time.sleep(EVERY_S)


def _client() -> redis.Redis:
    return redis.Redis.from_url(settings.REDIS_URL, socket_timeout=ANSWER_S, socket_connect_timeout=ANSWER_S)
