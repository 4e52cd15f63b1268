"""Ingestion of closed board sets: register them, read their tables, and mark dependent reports as due."""

from __future__ import annotations

import secrets
import time
from collections.abc import Collection

from django.db.models import Q

from arena.competition.models import Tournament
from arena.features.integrity.conduct import conduct_of, delays_read
from arena.features.integrity.models import BoardSetConduct, IntegrityProgress, Report
from arena.features.ratings.board_scores import closed_sets, set_scores_of
from arena.features.ratings.models import RatedSet, RatingList
from arena.matches.models import BoardSet
from league.rating.packing import pack_sets

SETS_PER_CALL = 200
"""Maximum closed sets per call."""


def closed_sets_register() -> int:
    """Register event sets that closed since the last call; return the number of sets examined."""
    progress, _ = IntegrityProgress.objects.get_or_create(pk=1)
    # ``closed_seq`` is assigned serially, so no set can appear before the stored position.
    new = list(closed_sets().filter(closed_seq__gt=progress.closed_seq)[:SETS_PER_CALL])
    played = [row for row in new if row.round.stage.tournament.kind == Tournament.Kind.TOURNAMENT]
    _register([board_set.pk for board_set in played])
    if new:
        last = new[-1].closed_seq or 0
        IntegrityProgress.objects.filter(pk=1, closed_seq__lt=last).update(closed_seq=last)
    return len(new)


def sets_mark_due(board_sets: Collection[int]) -> None:
    """Mark sets, given by key, to be read again after their results changed. One query."""
    BoardSetConduct.objects.filter(board_set__in=board_sets).update(stale_mark=new_stale_mark())


def list_sets_register(rating_list: RatingList) -> None:
    """Register the unknown sets of a list: sets of ladders belong to no event. One or two queries."""
    rated = RatedSet.objects.filter(list=rating_list, board_set__conduct=None)
    _register(list(rated.values_list("board_set_id", flat=True)))


def due_sets_read(until: float) -> int:
    """Read due sets, oldest first, until ``until`` (time.monotonic); return their number."""
    read = 0
    due = (
        BoardSetConduct.objects.exclude(stale_mark="")
        .filter(board_set__state=BoardSet.State.CLOSED)
        .order_by("pk")
    )
    for row in due.select_related("board_set__round__stage__tournament")[:SETS_PER_CALL]:
        if not delays_read(row.board_set, until):
            break
        read += _read_board_set(row)
        if time.monotonic() >= until:
            break
    return read


def _read_board_set(row: BoardSetConduct) -> bool:
    """Store scores and conduct of a set, and mark its reports as due; False if it changed meanwhile."""
    board_set = row.board_set
    conduct = conduct_of(board_set)
    stored = BoardSetConduct.objects.filter(pk=row.pk, stale_mark=row.stale_mark).update(
        stale_mark="",
        scores=pack_sets(set_scores_of(board_set, "entries")),
        conduct=conduct.fixtures,
        tables=conduct.tables,
        tables_missing=conduct.missing,
    )
    if not stored:
        return False
    tournament = board_set.round.stage.tournament
    if tournament.kind == Tournament.Kind.TOURNAMENT:
        Report.objects.get_or_create(tournament=tournament)
    in_lists = RatedSet.objects.filter(board_set=board_set).values("list")
    Report.objects.filter(Q(tournament=tournament) | Q(list__in=in_lists)).update(stale_mark=new_stale_mark())
    return True


def _register(board_sets: Collection[int]) -> None:
    BoardSetConduct.objects.bulk_create(
        [BoardSetConduct(board_set_id=pk, stale_mark=new_stale_mark()) for pk in board_sets],
        ignore_conflicts=True,
    )


def new_stale_mark() -> str:
    return secrets.token_hex(8)
