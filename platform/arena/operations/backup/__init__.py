"""Backups of an installation into a folder with a snapshot per run, and restoring one."""

from __future__ import annotations

import datetime

from arena.common.models import CompletedBackup


def last_backup_at() -> datetime.datetime | None:
    """Return when the last backup of this database was complete; None before the first. One query."""
    return CompletedBackup.objects.values_list("completed_at", flat=True).first()
