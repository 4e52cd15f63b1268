"""Deleting what nobody can come back to: tables of guests and of accounts that are gone, after a month."""

from __future__ import annotations

import datetime

from django.db import transaction
from django.utils import timezone

from arena.common.models import Blob
from arena.features.play.models import CasualTable, PlayService

RETENTION_DAYS = 30
SERVICE_RETENTION_S = 3600.0
"""A service not heard of for so long is forgotten."""
BATCH_SIZE = 200


def tables_prune() -> int:
    """Delete them, with what is stored of their play; how many. The files go with ``blobs_sweep``."""
    now = timezone.now()
    PlayService.objects.filter(seen_at__lt=now - datetime.timedelta(seconds=SERVICE_RETENTION_S)).delete()
    old = CasualTable.objects.filter(owner=None, acted_at__lt=now - datetime.timedelta(days=RETENTION_DAYS))
    with transaction.atomic():
        rows = old.exclude(state__in=CasualTable.ACTIVE).order_by("acted_at")
        found = list(rows.values_list("pk", "record_sha256", "view_sha256")[:BATCH_SIZE])
        CasualTable.objects.filter(pk__in=[pk for pk, _, _ in found]).delete()
        for column, kind in (("record_sha256", Blob.Kind.RECORD), ("view_sha256", Blob.Kind.VIEW)):
            hashes = {record if column == "record_sha256" else view for _, record, view in found} - {""}
            # The same cards played the same way twice are one file.
            named = CasualTable.objects.filter(**{f"{column}__in": hashes})
            kept = set(named.values_list(column, flat=True))
            Blob.objects.filter(kind=kind, sha256__in=hashes - kept).delete()
    return len(found)
