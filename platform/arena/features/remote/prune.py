"""Deletion of old unrated tables and closed invitations, and of the texts of old seats."""

from __future__ import annotations

import datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from arena.common.models import Blob
from arena.common.packs import blobs_delete
from arena.features.remote.models import RemoteInvitation, RemoteSeat, RemoteTable

BATCH_SIZE = 200
ENDED = (RemoteTable.State.FINISHED, RemoteTable.State.FAILED)


def tables_prune() -> int:
    """Delete unrated and failed tables some days after their end, with their blob rows; return their number.

    Rated tables stay, since ladders count them. Messages to a bot are deleted a day after the end of its
    table, logs after ``RENSHO_KEEP_LOGS_DAYS``.
    """
    now = timezone.now()
    before = now - datetime.timedelta(days=settings.RETENTION.guest_tables_days)
    RemoteInvitation.objects.exclude(state=RemoteInvitation.State.OPEN).filter(created_at__lt=before).delete()
    _texts_prune(now)
    old = RemoteTable.objects.filter(score=None, state__in=ENDED, created_at__lt=before)
    with transaction.atomic():
        rows = old.order_by("created_at")
        expired = list(rows.values_list("pk", "record_sha256", "view_sha256")[:BATCH_SIZE])
        RemoteTable.objects.filter(pk__in=[pk for pk, _, _ in expired]).delete()
        for column, kind in (("record_sha256", Blob.Kind.RECORD), ("view_sha256", Blob.Kind.VIEW)):
            hashes = {record if column == "record_sha256" else view for _, record, view in expired} - {""}
            # Identical play of identical cards shares one blob.
            named = RemoteTable.objects.filter(**{f"{column}__in": hashes})
            still_used = set(named.values_list(column, flat=True))
            blobs_delete(Blob.objects.filter(kind=kind, sha256__in=hashes - still_used))
    return len(expired)


def _texts_prune(now: datetime.datetime) -> None:
    over = RemoteSeat.objects.filter(is_active=False, table__state__in=ENDED)
    day_ago = now - datetime.timedelta(days=1)
    with_messages = over.filter(table__ended_at__lt=day_ago).exclude(hello={}, events=[])
    _update(with_messages, hello={}, events=[])
    if settings.RETENTION.logs_days:
        before = now - datetime.timedelta(days=settings.RETENTION.logs_days)
        _update(over.filter(table__ended_at__lt=before).exclude(log=""), log="")


def _update(seats: QuerySet[RemoteSeat], **columns: Any) -> None:
    RemoteSeat.objects.filter(pk__in=list(seats.values_list("pk", flat=True)[:BATCH_SIZE])).update(**columns)
