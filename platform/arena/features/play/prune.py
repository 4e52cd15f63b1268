"""Deletion of old casual tables of guests and of deleted accounts."""

from __future__ import annotations

import datetime

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from arena.common.models import Blob
from arena.common.packs import blobs_delete
from arena.features.play.models import CasualTable, PlayService

SERVICE_RETENTION_S = 3600.0
"""Seconds without a heartbeat after which the row of a service is deleted."""
BATCH_SIZE = 200


def tables_prune() -> int:
    """Delete ended tables without an owner after some days, with their blob rows; return their number."""
    now = timezone.now()
    PlayService.objects.filter(seen_at__lt=now - datetime.timedelta(seconds=SERVICE_RETENTION_S)).delete()
    old = CasualTable.objects.filter(
        owner=None, last_action_at__lt=now - datetime.timedelta(days=settings.RETENTION.guest_tables_days)
    )
    with transaction.atomic():
        rows = old.exclude(state__in=CasualTable.ACTIVE).order_by("last_action_at")
        expired = list(rows.values_list("pk", "record_sha256", "view_sha256")[:BATCH_SIZE])
        CasualTable.objects.filter(pk__in=[pk for pk, _, _ in expired]).delete()
        for column, kind in (("record_sha256", Blob.Kind.RECORD), ("view_sha256", Blob.Kind.VIEW)):
            hashes = {record if column == "record_sha256" else view for _, record, view in expired} - {""}
            # Identical play of identical cards shares one blob.
            named = CasualTable.objects.filter(**{f"{column}__in": hashes})
            still_used = set(named.values_list(column, flat=True))
            blobs_delete(Blob.objects.filter(kind=kind, sha256__in=hashes - still_used))
    return len(expired)
