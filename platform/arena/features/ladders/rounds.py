"""End of a ladder round: it counts when its boards are closed, or is dropped."""

from __future__ import annotations

import datetime

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from arena.common.notes import Note
from arena.common.states import state_change
from arena.competition.models import Tournament
from arena.features.ladders.models import LadderRound
from arena.features.ladders.seasons import season_list
from arena.features.ratings.services import set_add, set_remove
from arena.matches.models import BoardSet, Fixture

State = LadderRound.State
FINISHED = (Tournament.State.PROVISIONAL, Tournament.State.FINAL, Tournament.State.ARCHIVED)


def rounds_settle() -> int:
    """Count rounds with closed boards, and drop cancelled ones; return their number. Concurrent-safe."""
    settled = 0
    rows = LadderRound.objects.select_related("season__ladder", "tournament")
    for ladder_round in rows.filter(state=State.OPEN):
        settled += round_settle(ladder_round)
    # An audit can cancel a counted round.
    cancelled = rows.filter(state=State.COUNTED, tournament__state=Tournament.State.CANCELLED)
    for ladder_round in cancelled:
        settled += _drop(ladder_round)
    return settled


def round_settle(ladder_round: LadderRound) -> bool:
    """Count or drop an open round, with season, ladder and tournament; return whether it was due."""
    if ladder_round.tournament.state == Tournament.State.CANCELLED:
        return _drop(ladder_round)
    board_set = BoardSet.objects.filter(round__stage__tournament=ladder_round.tournament).first()
    if board_set is None or board_set.is_sealed:
        return False
    counts = Fixture.objects.filter(board_set=board_set).exclude(state=Fixture.State.VOID).exists()
    if not counts:
        # All fixtures are void because of platform faults.
        return _drop(ladder_round, {"code": "nothing_played"})
    with transaction.atomic():
        now = timezone.now()
        if not state_change(ladder_round, "state", State.OPEN, State.COUNTED, ended_at=now):
            return False
        set_add(board_set, season_list(ladder_round.season))
    return True


def round_closed(tournament: Tournament) -> None:
    """Count a round in the transaction that closes its boards."""
    rows = LadderRound.objects.select_related("season__ladder", "tournament")
    for ladder_round in rows.filter(tournament=tournament, state=State.OPEN):
        round_settle(ladder_round)


@transaction.atomic
def _drop(ladder_round: LadderRound, note: Note | None = None) -> bool:
    because = note or ladder_round.tournament.state_note
    before = ladder_round.state
    if not state_change(ladder_round, "state", before, State.DROPPED, ended_at=timezone.now(), note=because):
        return False
    if before == State.COUNTED:
        board_set = BoardSet.objects.get(round__stage__tournament=ladder_round.tournament)
        set_remove(board_set, season_list(ladder_round.season))
    return True


def overdue_tournaments(now: datetime.datetime) -> list[Tournament]:
    """Return the tournaments of rounds past their time limit. One query."""
    before = now - datetime.timedelta(hours=settings.LADDERS.hours)
    rows = LadderRound.objects.filter(state=State.OPEN, drawn_at__lte=before).select_related("tournament")
    return [row.tournament for row in rows if row.tournament.state not in FINISHED]
