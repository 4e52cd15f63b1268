"""Reports on integrity: the task that makes them, and the part of the tick that asks for it."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from celery import shared_task
from kombu.exceptions import OperationalError

from arena.common.features import Due
from arena.features.integrity.services import reports_due, reports_make

log = logging.getLogger(__name__)

MESSAGE_EXPIRES_S = 30
"""Life of a message; after it the tick sends the next one."""


@shared_task
def integrity_made() -> None:
    """Read closed board sets that are due, and make the reports that follow."""
    reports_make()


def reports_request() -> Iterable[Due]:
    """For the tick: ask for the reports that are due. A large one takes longer than a tick may."""
    if reports_due():
        try:
            integrity_made.apply_async(expires=MESSAGE_EXPIRES_S)
        except OperationalError as error:
            log.warning("broker not reached, reports on integrity wait for the next tick: %s", error)
    return ()
