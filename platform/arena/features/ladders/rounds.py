"""What becomes of a ladder's round: it counts once its boards are closed, or leaves no trace."""

from __future__ import annotations

import datetime

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from arena.common.notes import Note
from arena.common.states import move
from arena.competition.models import Tournament
from arena.features.ladders.models import LadderRound
from arena.features.ladders.seasons import season_list
from arena.features.ratings.services import set_add, set_remove
from arena.matches.models import BoardSet, Fixture

State = LadderRound.State
FINISHED = (Tournament.State.PROVISIONAL, Tournament.State.FINAL, Tournament.State.ARCHIVED)


def rounds_settle() -> int:
    """Count rounds whose boards are closed, drop those that were cancelled; how many. Safe to run twice at
    once, and one query if there is nothing to do."""
    settled = 0
    rows = LadderRound.objects.select_related("season__ladder", "tournament")
    for played in rows.filter(state=State.OPEN):
        settled += round_settle(played)
    # The audit of a counted round can end in its cancellation.
    cancelled = rows.filter(state=State.COUNTED, tournament__state=Tournament.State.CANCELLED)
    for played in cancelled:
        settled += _drop(played)
    return settled


def round_settle(played: LadderRound) -> bool:
    """Count or drop an open round if it is due; whether it was. Season, ladder and tournament at hand."""
    if played.tournament.state == Tournament.State.CANCELLED:
        return _drop(played)
    board_set = BoardSet.objects.filter(round__stage__tournament=played.tournament).first()
    if board_set is None or board_set.is_sealed:
        return False
    counts = Fixture.objects.filter(board_set=board_set).exclude(state=Fixture.State.VOID).exists()
    if not counts:
        # Void as a whole by our faults.
        return _drop(played, {"code": "nothing_played"})
    with transaction.atomic():
        now = timezone.now()
        if not move(played, "state", State.OPEN, State.COUNTED, ended_at=now):
            return False
        set_add(board_set, season_list(played.season))
    return True


def round_closed(tournament: Tournament) -> None:
    """As the boards of a ladder's round are closed: count it. Inside that transaction."""
    rows = LadderRound.objects.select_related("season__ladder", "tournament")
    for played in rows.filter(tournament=tournament, state=State.OPEN):
        round_settle(played)


@transaction.atomic
def _drop(played: LadderRound, note: Note | None = None) -> bool:
    because = note or played.tournament.state_note
    before = played.state
    if not move(played, "state", before, State.DROPPED, ended_at=timezone.now(), note=because):
        return False
    if before == State.COUNTED:
        board_set = BoardSet.objects.get(round__stage__tournament=played.tournament)
        set_remove(board_set, season_list(played.season))
    return True


def overdue_tournaments(now: datetime.datetime) -> list[Tournament]:
    """The tournaments of rounds that take longer than a round may; one query."""
    before = now - datetime.timedelta(hours=settings.LADDERS.hours)
    rows = LadderRound.objects.filter(state=State.OPEN, drawn_at__lte=before).select_related("tournament")
    return [row.tournament for row in rows if row.tournament.state not in FINISHED]
