"""Celery task that makes reports, and the tick function that queues it."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from celery import shared_task
from kombu.exceptions import OperationalError

from arena.common.features import DueTournament
from arena.features.integrity.services import reports_due, reports_make

log = logging.getLogger(__name__)

MESSAGE_EXPIRES_S = 30
"""Seconds until a message expires; after that, the tick sends the next one."""


@shared_task
def integrity_update() -> None:
    reports_make()


def reports_request() -> Iterable[DueTournament]:
    """Queue the report task if there is work. A large report takes longer than a tick may."""
    if reports_due():
        try:
            integrity_update.apply_async(expires=MESSAGE_EXPIRES_S)
        except OperationalError as error:
            log.warning("cannot reach the broker, integrity reports wait for the next tick: %s", error)
    return ()
