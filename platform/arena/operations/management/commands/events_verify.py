"""``manage.py events_verify``: verify every ended tournament of this site, as after a restore."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError

from arena.common.management.database_command import DatabaseCommand
from arena.competition.models import Tournament
from arena.standings.audit import tournament_audit

MAX_CHARACTERS = 300
ENDED = (Tournament.State.FINAL, Tournament.State.ARCHIVED)


class Command(DatabaseCommand):
    """Replays every record of every ended tournament, and computes deals, scores and standings again. Exit
    status 1 if anything disagrees.
    """

    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        count = failed = 0
        for tournament in Tournament.objects.filter(state__in=ENDED).order_by("pk").iterator(100):
            count += 1
            if disagreements := tournament_audit(tournament):
                failed += 1
                detail = f"{disagreements[0][:MAX_CHARACTERS]} ({len(disagreements)} in all)"
                self.stdout.write(f"{tournament.public_id}: {detail}")
        if failed:
            raise CommandError(
                f"{failed} of {count} ended tournaments do not verify. If records are missing or damaged, "
                "manage.py blobs_check names the remedy; otherwise restore another snapshot."
            )
        self.stdout.write(f"{count} ended tournaments verified")
