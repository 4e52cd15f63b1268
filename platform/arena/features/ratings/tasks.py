"""Ratings: the task that makes lists, and how it is asked for."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from celery import shared_task
from django.db import transaction
from kombu.exceptions import OperationalError

from arena.common.features import Due
from arena.features.ratings.services import ratings_make

log = logging.getLogger(__name__)

MESSAGE_EXPIRES_S = 60
"""Life of a message; by then the tick has done its work."""


@shared_task
def ratings_made() -> None:
    """Make the lists that are due."""
    ratings_make()


def ratings_request() -> None:
    """Ask for the ratings that are due, once the present transaction has committed."""

    def send() -> None:
        try:
            ratings_made.apply_async(expires=MESSAGE_EXPIRES_S)
        except OperationalError as error:
            log.warning("broker not reached, ratings wait for the tick: %s", error)

    transaction.on_commit(send)


def ratings_due() -> Iterable[Due]:
    """For the tick: make the lists that are due."""
    ratings_make()
    return ()
