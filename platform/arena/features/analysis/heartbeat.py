"""Heartbeats of the service's queues, in the shared cache."""

from __future__ import annotations

from django.core.cache import cache
from django.db.models import TextChoices

HEARTBEAT_S = 5.0
TIMEOUT_S = 20
"""Seconds after the last heartbeat at which a queue counts as down."""


class Queue(TextChoices):
    BACKGROUND = "background", "notes of tables"
    INTERACTIVE = "interactive", "positions that visitors ask for"


def heartbeat(queue: Queue) -> None:
    cache.set(_key(queue), True, TIMEOUT_S)


def is_alive(queue: Queue) -> bool:
    """Return whether a process serves the queue; False too while the cache is unreachable."""
    return bool(cache.get(_key(queue)))


def _key(queue: Queue) -> str:
    return f"analysis:alive:{queue}"
