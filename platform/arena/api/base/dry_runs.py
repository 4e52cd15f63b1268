"""Actions that are tried out: everything is checked, nothing changes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction
from drf_spectacular.utils import OpenApiParameter

DRY_RUN = OpenApiParameter(
    "dry_run", bool, description="true: check everything, answer what would happen, change nothing."
)


@contextmanager
def rollback_if_dry_run(is_dry_run: bool) -> Iterator[None]:
    """Do what is in the block, or with ``is_dry_run`` see what would come of it and take it all back.

    The services run as they always do, so what they refuse is refused here too. What is done once a change
    stands (messages to workers, webhooks) waits for the commit that never comes.
    """
    if not is_dry_run:
        yield
        return
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
