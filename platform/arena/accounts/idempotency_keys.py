"""Database rows behind ``Idempotency-Key``: claim a key, store the response, or release the key."""

from __future__ import annotations

import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from arena.accounts.models import IdempotencyKey, User

KEY_RETENTION_HOURS = 24
"""Hours after which a key may be used for another request."""


def key_claim(user: User, key: str, fingerprint: str) -> tuple[IdempotencyKey | None, bool]:
    """Return the row of an account's key, and whether this call created it. An expired key is replaced.

    None if another request released it in this moment. Committed at once.
    """
    expired = timezone.now() - datetime.timedelta(hours=KEY_RETENTION_HOURS)
    IdempotencyKey.objects.filter(user=user, key=key, created_at__lt=expired).delete()
    try:
        with transaction.atomic():
            return IdempotencyKey.objects.create(user=user, key=key, fingerprint=fingerprint), True
    except IntegrityError:
        return IdempotencyKey.objects.filter(user=user, key=key).first(), False


def key_get(user: User, key: str) -> IdempotencyKey | None:
    since = timezone.now() - datetime.timedelta(hours=KEY_RETENTION_HOURS)
    return IdempotencyKey.objects.filter(user=user, key=key, created_at__gte=since).first()


def key_store_response(claimed: IdempotencyKey, status: int, body: bytes, headers: dict[str, Any]) -> None:
    IdempotencyKey.objects.filter(pk=claimed.pk).update(status=status, body=body, headers=headers)


def key_release(claimed: IdempotencyKey) -> None:
    IdempotencyKey.objects.filter(pk=claimed.pk).delete()
