"""How much of the luck of the cards duplicate play took out of an event: made by the tick, stored, and read.

Whenever scores of a board set are made, what it says is due to be made again; the event's factor follows.
Only closed board sets say anything, and only fixtures that were played without a forfeit or ruling.
"""

from __future__ import annotations

import secrets
import time
from collections import defaultdict
from collections.abc import Collection, Iterator

from django.db import transaction

from arena.competition.models import Tournament
from arena.competition.rules import rules_of
from arena.competition.transitions import tournament_row_lock, tournament_touch
from arena.matches.models import Adjudication, BoardResult, BoardSet, Fixture, FixtureEntry, TableSeat
from arena.standings.models import EventLuck, LuckOfSet
from league.luck import BoardLuck, FixtureStones, Luck, SetLuck, TooFew, luck_of_sets, set_luck

__all__ = ["Luck", "TooFew", "event_luck", "luck_compute_due", "luck_mark_due"]
MAX_SETS_PER_CALL = 100
MAX_DURATION_S = 2.0
"""So long one call of ``luck_compute_due`` begins another board set."""
ROWS_AT_ONCE = 5000
"""Results fetched at a time."""


def event_luck(tournament: Tournament) -> Luck | TooFew | None:
    """The factor of an event, of its closed rounds; None before there is anything to say. One query.

    A few seconds behind the scores. Whether the viewer may see the tournament is for the caller to have
    checked.
    """
    stored = EventLuck.objects.filter(tournament=tournament).first()
    if stored is None:
        return None
    return Luck(**stored.found) if stored.is_told else TooFew(**stored.found)


def luck_mark_due(board_sets: Collection[BoardSet]) -> None:
    """The scores of these board sets were made: what they say of luck is to be made again. One query."""
    LuckOfSet.objects.bulk_create(
        [LuckOfSet(board_set=board_set, due=secrets.token_hex(8)) for board_set in board_sets],
        update_conflicts=True,
        unique_fields=["board_set"],
        update_fields=["due"],
    )


def luck_compute_due(most_s: float = MAX_DURATION_S) -> int:
    """Make some of what is due, the oldest first; how many board sets. Safe to run twice at once."""
    until = time.monotonic() + most_s
    due = LuckOfSet.objects.exclude(due="").filter(board_set__state=BoardSet.State.CLOSED).order_by("pk")
    updated = 0
    for row in due.select_related("board_set__round__stage__tournament")[:MAX_SETS_PER_CALL]:
        tournament = row.board_set.round.stage.tournament
        luck = set_luck(_fixture_stones(row.board_set, tournament))
        with transaction.atomic():
            tournament_row_lock(pk=tournament.pk)
            # Scores made meanwhile are due again, and seen by the next call.
            updated += LuckOfSet.objects.filter(pk=row.pk, due=row.due).update(
                due="", fixtures=luck.fixtures, degrees=luck.degrees, boards=luck.boards
            )
            _event_luck_update(tournament)
        if time.monotonic() >= until:
            break
    return updated


def _event_luck_update(tournament: Tournament) -> None:
    """The factor from what its board sets say; its pages are told if it is another. Four queries, or five."""
    rows = LuckOfSet.objects.filter(board_set__round__stage__tournament=tournament).order_by("pk")
    luck = luck_of_sets(
        SetLuck(row.fixtures, row.degrees, tuple(BoardLuck(*board) for board in row.boards or ()))
        for row in rows
    )
    values = {"is_told": isinstance(luck, Luck), "found": luck._asdict()}
    if EventLuck.objects.filter(tournament=tournament).values(*values).first() != values:
        EventLuck.objects.update_or_create(tournament=tournament, defaults=values)
        tournament_touch(tournament)


def _fixture_stones(board_set: BoardSet, tournament: Tournament) -> Iterator[FixtureStones]:
    """What was played of a board set without a forfeit or ruling, fixture by fixture. Six queries."""
    rules = rules_of(tournament)
    sides = rules.sides
    first_seats = [side[0] for side in sides]
    played = Fixture.objects.filter(board_set=board_set, state=Fixture.State.SETTLED)
    fixtures = dict(played.order_by("pk").values_list("pk", "public_id"))
    rulings = Adjudication.objects.filter(fixture__board_set=board_set).order_by("fixture", "number")
    ruled = dict(rulings.values_list("fixture_id", "kind"))
    left_out = {fixture for fixture, kind in ruled.items() if kind != Adjudication.Kind.LIFT}
    seats = TableSeat.objects.filter(table__fixture__board_set=board_set)
    left_out |= set(seats.filter(forfeited=True).order_by("pk").values_list("table__fixture_id", flat=True))
    side_of = {
        (fixture, entry): side
        for fixture, entry, side in FixtureEntry.objects.filter(fixture__board_set=board_set)
        .order_by("pk")
        .values_list("fixture_id", "entry_id", "side")
    }
    of_seat = {
        (table, seat): side_of[fixture, entry]
        for table, seat, entry, fixture in seats.filter(seat__in=first_seats)
        .order_by("pk")
        .values_list("table_id", "seat", "entry_id", "table__fixture_id")
    }
    results = BoardResult.objects.filter(table__fixture__board_set=board_set, seat__in=first_seats)
    columns = ("table__fixture_id", "board", "table__rotation", "table_id", "seat", "stones")
    by_fixture: dict[int, dict[tuple[int, int], list[int]]] = defaultdict(dict)
    rows = results.order_by("table__fixture_id", "board", "table__rotation", "seat").values_list(*columns)
    for fixture, board, rotation, table, seat, won in rows.iterator(ROWS_AT_ONCE):
        if fixture in fixtures and fixture not in left_out:
            of_table = by_fixture[fixture].setdefault((board, rotation), [0] * len(sides))
            of_table[of_seat[table, seat]] = won
    for fixture, stones_by_table in by_fixture.items():
        tables = list(stones_by_table.values())
        # A table of a fixture that was cut short may be missing.
        if len(tables) == board_set.boards * len(sides):
            boards = [tables[start : start + len(sides)] for start in range(0, len(tables), len(sides))]
            yield FixtureStones(fixtures[fixture], board_set.public_id, boards)
