"""Celery task that computes ratings, and the functions that queue it."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from celery import shared_task
from django.db import transaction
from kombu.exceptions import OperationalError

from arena.common.features import DueTournament
from arena.features.ratings.services import ratings_make

log = logging.getLogger(__name__)

MESSAGE_EXPIRES_S = 60
"""Seconds until a message expires; by then, the tick has done its work."""


@shared_task
def ratings_update() -> None:
    ratings_make()


def ratings_request() -> None:
    """Queue the rating task after the current transaction commits."""

    def send() -> None:
        try:
            ratings_update.apply_async(expires=MESSAGE_EXPIRES_S)
        except OperationalError as error:
            log.warning("cannot reach the broker, ratings wait for the next tick: %s", error)

    transaction.on_commit(send)


def ratings_due() -> Iterable[DueTournament]:
    ratings_make()
    return ()
