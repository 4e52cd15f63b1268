"""Dry runs: all checks run, and nothing changes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction
from drf_spectacular.utils import OpenApiParameter

DRY_RUN = OpenApiParameter(
    "dry_run", bool, description="true: check everything and return the result without changing anything."
)


@contextmanager
def rollback_if_dry_run(is_dry_run: bool) -> Iterator[None]:
    """Roll back the changes of the block if ``is_dry_run``.

    Services run unchanged, so they raise the same errors. Actions after commit (messages to workers,
    webhooks) never run.
    """
    if not is_dry_run:
        yield
        return
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
