"""Finished tables for the events of ``tests.large``: seats, results and views, in bulk."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import cycle

from django.db import transaction

from arena.common.blobs import blob_put
from arena.competition.models import Entry, Tournament
from arena.matches.models import Fixture, FixtureEntry, Table, TableSeat
from arena.matches.workers import runtime_set
from arena.standings.models import FixtureScore
from tests.large import TABLES, Writer
from tests.viewer.records import recorded
from viewer.build import view_bytes, view_of

SIDES = ((1, 3), (2, 4))
"""Seats of the two sides of a table of Kakeya for four; each rotation exchanges them."""


def views_add(boards: int, count: int) -> list[str]:
    """Hashes of so many views of a table of so many boards. All show the same play, but are other files."""
    view = view_bytes(view_of(recorded("kakeya4", boards=tuple(range(1, boards + 1))).record))
    return [blob_put(view + b" " * at, "view") for at in range(count)]


def tables_add(tournament: Tournament, fixtures: Sequence[int], views: Sequence[str]) -> None:
    """Tables for the fixtures of these keys, which have scores and no tables, with these views in turn."""
    stones: dict[int, dict[int, list[str]]] = defaultdict(dict)
    rows = FixtureScore.objects.filter(fixture__in=fixtures).order_by()
    for fixture, entry, text in rows.values_list("fixture_id", "entry_id", "board_values"):
        stones[fixture][entry] = text.split(",")
    sides: dict[int, list[int]] = defaultdict(list)
    members = FixtureEntry.objects.filter(fixture__in=fixtures).order_by("fixture_id", "position")
    for fixture, entry in members.values_list("fixture_id", "entry_id"):
        sides[fixture].append(entry)
    versions = dict(Entry.objects.filter(tournament=tournament).values_list("pk", "version_id"))
    count = len(next(iter(next(iter(stones.values())).values())))
    like = Table(
        tournament=tournament,
        first_board=1,
        board_count=count,
        boards_done=count,
        runtimes=runtime_set(["python/1"]),
        wall_limit_s=60.0,
        state=Table.State.FINISHED,
    )
    with transaction.atomic():
        writer = Writer()
        keys = writer.keys(Table, TABLES * len(sides))
        placed = [(fixture, rotation) for fixture in sides for rotation in range(TABLES)]
        writer.add(
            like,
            ("id", "fixture_id", "rotation", "view_sha256", "record_sha256", "compact_results"),
            [
                (key, fixture, rotation, view, view, _results(stones[fixture], sides[fixture], rotation))
                for key, (fixture, rotation), view in zip(keys, placed, cycle(views), strict=False)
            ],
        )
        held = [
            (key, fixture, seat, sides[fixture][(side + rotation) % 2])
            for key, (fixture, rotation) in zip(keys, placed, strict=True)
            for side, seats in enumerate(SIDES)
            for seat in seats
        ]
        writer.add(
            TableSeat(verdict="OK", decisions=40, cpu_ms=90, wall_ms=100),
            ("id", "table_id", "seat", "entry_id", "version_id"),
            [
                (key, table, seat, entry, versions[entry])
                for key, (table, _, seat, entry) in zip(writer.keys(TableSeat, len(held)), held, strict=True)
            ],
        )
        writer.close()


def _results(stones: dict[int, list[str]], entries: list[int], rotation: int) -> str:
    """Results of a table, as if both tables had the same."""
    by_side = [stones[entries[(side + rotation) % 2]] for side in range(len(SIDES))]
    side_of = {seat: side for side, seats in enumerate(SIDES) for seat in seats}
    return "/".join(
        ",".join(of_board[side_of[seat]] for seat in sorted(side_of))
        for of_board in zip(*by_side, strict=True)
    )


def fixtures_played(tournament: Tournament, entry: int) -> tuple[list[int], list[int]]:
    """Keys of the scored fixtures of the last closed round, and of the others of an entry."""
    scored = Fixture.objects.filter(tournament=tournament, state=Fixture.State.SETTLED)
    last = scored.order_by("-board_set__round__number").values_list("board_set", flat=True)[0]
    of_round = list(scored.filter(board_set=last).values_list("pk", flat=True))
    own = scored.filter(pk__in=FixtureEntry.objects.filter(entry=entry).values("fixture"))
    return of_round, list(own.exclude(pk__in=of_round).values_list("pk", flat=True))
