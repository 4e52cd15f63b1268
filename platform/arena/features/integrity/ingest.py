"""Closed board sets taken in and read, table by table: what reports follow from."""

from __future__ import annotations

import secrets
import time
from collections.abc import Collection

from django.db.models import Q

from arena.competition.models import Tournament
from arena.features.integrity.conduct import conduct_of, waits_read
from arena.features.integrity.models import ReadSet, Report, SetsSeen
from arena.features.ratings.board_scores import closed_sets, set_scores_of
from arena.features.ratings.models import RatedSet, RatingList
from arena.matches.models import BoardSet
from league.rating.packing import pack_sets

SETS_PER_CALL = 200
"""Closed sets that one call looks at."""


def closed_sets_register() -> int:
    """Note the sets of events that closed since the last call, to be read; how many were looked at."""
    seen, _ = SetsSeen.objects.get_or_create(pk=1)
    # Sets get their place in the closing order one by one, so that none appears before ``seen``.
    new = list(closed_sets().filter(closed_seq__gt=seen.closed_seq)[:SETS_PER_CALL])
    played = [one for one in new if one.round.stage.tournament.kind == Tournament.Kind.EVENT]
    _register([board_set.pk for board_set in played])
    if new:
        last = new[-1].closed_seq or 0
        SetsSeen.objects.filter(pk=1, closed_seq__lt=last).update(closed_seq=last)
    return len(new)


def sets_mark_due(board_sets: Collection[int]) -> None:
    """What counts of these sets, by key, was made again: they are to be read again. One query."""
    ReadSet.objects.filter(board_set__in=board_sets).update(due=new_due_mark())


def list_sets_register(rating_list: RatingList) -> None:
    """Note the sets of a list that are not known: those of ladders are of no event. One query, or two."""
    rated = RatedSet.objects.filter(list=rating_list, board_set__read_set=None)
    _register(list(rated.values_list("board_set_id", flat=True)))


def due_sets_read(until: float) -> int:
    """Read sets that are due, the oldest first; how many. ``until`` is of time.monotonic, looked at between
    a few tables, so that a large set is read in several calls."""
    read = 0
    due = ReadSet.objects.exclude(due="").filter(board_set__state=BoardSet.State.CLOSED).order_by("pk")
    for row in due.select_related("board_set__round__stage__tournament")[:SETS_PER_CALL]:
        if not waits_read(row.board_set, until):
            break
        read += _read_set(row)
        if time.monotonic() >= until:
            break
    return read


def _read_set(row: ReadSet) -> bool:
    """Store what a set says now; its reports are due. False if it changed meanwhile, and stays due."""
    board_set = row.board_set
    conduct = conduct_of(board_set)
    stored = ReadSet.objects.filter(pk=row.pk, due=row.due).update(
        due="",
        scores=pack_sets(set_scores_of(board_set, "entries")),
        conduct=conduct.fixtures,
        tables=conduct.tables,
        tables_missing=conduct.missing,
    )
    if not stored:
        return False
    tournament = board_set.round.stage.tournament
    if tournament.kind == Tournament.Kind.EVENT:
        Report.objects.get_or_create(tournament=tournament)
    in_lists = RatedSet.objects.filter(board_set=board_set).values("list")
    Report.objects.filter(Q(tournament=tournament) | Q(list__in=in_lists)).update(due=new_due_mark())
    return True


def _register(board_sets: Collection[int]) -> None:
    ReadSet.objects.bulk_create(
        [ReadSet(board_set_id=pk, due=new_due_mark()) for pk in board_sets], ignore_conflicts=True
    )


def new_due_mark() -> str:
    """A text that no row has yet."""
    return secrets.token_hex(8)
