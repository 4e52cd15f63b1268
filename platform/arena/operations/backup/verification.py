"""Verify the ended tournaments of a site, as after a restore."""

from __future__ import annotations

from collections.abc import Callable

from arena.competition.models import Tournament
from arena.operations.backup.repository import BackupError
from arena.standings.audit import tournament_audit


def events_verify(write: Callable[[str], object]) -> int:
    """Verify every ended tournament, and return their number. Raises BackupError if anything disagrees."""
    ended = Tournament.objects.filter(state__in=(Tournament.State.FINAL, Tournament.State.ARCHIVED))
    count = failed = 0
    for tournament in ended.order_by("pk").iterator(100):
        count += 1
        if disagreements := tournament_audit(tournament):
            failed += 1
            write(f"{tournament.public_id}: {disagreements[0][:300]} ({len(disagreements)} in all)")
    if failed:
        raise BackupError(f"{failed} of {count} ended tournaments do not verify.")
    write(f"{count} ended tournaments verified")
    return count
