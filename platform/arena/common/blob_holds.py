"""Holds that keep blob files from being deleted while a backup copies them."""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Iterator

from django.utils import timezone

from arena.common.models import BlobHold

HOLD_S = 3600
"""Seconds that a hold lasts unless it is renewed: deletions resume so long after a backup was killed."""
RENEWAL_INTERVAL_S = 60


class Hold:
    """A hold of this process. Every write commits at once: use it outside of transactions."""

    def __init__(self) -> None:
        self._row = BlobHold.objects.create(expires_at=_expiry())
        self._renewed_at = timezone.now()

    def renew(self) -> None:
        """Extend the hold, at most once in ``RENEWAL_INTERVAL_S``. One query."""
        now = timezone.now()
        if (now - self._renewed_at).total_seconds() >= RENEWAL_INTERVAL_S:
            BlobHold.objects.update_or_create(pk=self._row.pk, defaults={"expires_at": _expiry()})
            self._renewed_at = now

    def release(self) -> None:
        BlobHold.objects.filter(pk=self._row.pk).delete()


@contextlib.contextmanager
def deletions_hold() -> Iterator[Hold]:
    """Hold deletions for the block. Expired holds of others are removed."""
    BlobHold.objects.filter(expires_at__lte=timezone.now()).delete()
    hold = Hold()
    try:
        yield hold
    finally:
        hold.release()


def deletions_paused() -> bool:
    """Return whether blob files must not be deleted now. One query.

    A backup refers to the rows at its start. Ask again for every batch, after the query that found its files
    without rows: a row that vanished after the start of a backup vanished after its hold was committed.
    """
    return BlobHold.objects.filter(expires_at__gt=timezone.now()).exists()


def _expiry() -> datetime.datetime:
    return timezone.now() + datetime.timedelta(seconds=HOLD_S)
