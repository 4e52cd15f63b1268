"""The rows behind ``Idempotency-Key``: claimed by a request, filled with its answer, or removed again."""

from __future__ import annotations

import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from arena.accounts.models import IdempotencyKey, User

KEY_RETENTION_HOURS = 24


def key_claim(user: User, key: str, fingerprint: str) -> tuple[IdempotencyKey | None, bool]:
    """The row of an account's key, and whether it was made now; an expired one is replaced.

    None if another request holds the key and removed it in this very moment. Committed at once.
    """
    expired = timezone.now() - datetime.timedelta(hours=KEY_RETENTION_HOURS)
    IdempotencyKey.objects.filter(user=user, key=key, created_at__lt=expired).delete()
    try:
        with transaction.atomic():
            return IdempotencyKey.objects.create(user=user, key=key, fingerprint=fingerprint), True
    except IntegrityError:
        return IdempotencyKey.objects.filter(user=user, key=key).first(), False


def key_get(user: User, key: str) -> IdempotencyKey | None:
    """The row of an account's key, or None. One query."""
    since = timezone.now() - datetime.timedelta(hours=KEY_RETENTION_HOURS)
    return IdempotencyKey.objects.filter(user=user, key=key, created_at__gte=since).first()


def key_store_response(claimed: IdempotencyKey, status: int, body: bytes, headers: dict[str, Any]) -> None:
    """Store what was answered."""
    IdempotencyKey.objects.filter(pk=claimed.pk).update(status=status, body=body, headers=headers)


def key_release(claimed: IdempotencyKey) -> None:
    """Remove the row: the key is free again."""
    IdempotencyKey.objects.filter(pk=claimed.pk).delete()
