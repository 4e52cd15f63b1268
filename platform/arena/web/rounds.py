"""Rounds and fixtures as they are shown. While a board set is open, nothing here tells how it went."""

from __future__ import annotations

import dataclasses
import datetime
from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction

from arena.competition.models import Round, Tournament
from arena.matches.models import Adjudication, BoardSet, Fixture, FixtureEntry, Table, TableSeat
from arena.matches.workers import UNAVAILABLE
from arena.standings.models import FixtureScore
from arena.web.figures import exact_column
from arena.web.labels import EntryLabel
from arena.web.states import Tables

DONE = "done"
"""All that is said of an ended fixture before its boards are unsealed."""

WIN, DRAW, LOSS = "win", "draw", "loss"
RULINGS = {
    Adjudication.Kind.FORFEIT: "adjudicated as forfeited",
    Adjudication.Kind.DRAW: "adjudicated as drawn",
    Adjudication.Kind.VOID: "adjudicated as void",
    Adjudication.Kind.LIFT: "counts as played after all",
}
TABLES_AT_MOST = 6
"""More tables of one fixture are summed up."""


@dataclasses.dataclass(frozen=True)
class TableLine:
    """One table of an open round: state, boards done, since when."""

    number: int
    """Within its fixture, from 1."""
    state: str
    boards_done: int
    boards: int
    attempt: int
    since: datetime.datetime | None
    """When the attempt being played began."""
    lacks: str = ""
    """What no living worker can run, if it waits for that."""


@dataclasses.dataclass(frozen=True)
class TableSum:
    """How far many tables are together."""

    boards_done: int
    boards: int
    tables: int
    finished: int


@dataclasses.dataclass(frozen=True)
class Side:
    """One side of a fixture; ``total`` and what follows from it only once the boards are unsealed."""

    entries: tuple[EntryLabel, ...]
    """One, or the partners where partners are mixed."""
    total: Fraction | None = None
    total_text: str = ""
    result: str = ""
    """``win``, ``draw`` or ``loss`` against the other side; empty with more than two, or none known."""
    place: int = 0
    """From 1 by total where more than two met, equal for equals; 0 if not known."""
    forfeited: bool = False

    @property
    def entry(self) -> EntryLabel:
        """The first of its entries."""
        return self.entries[0]


@dataclasses.dataclass(frozen=True)
class Ruling:
    """What was decided about a fixture, and why."""

    text: str
    reason: str
    by: str
    """Who decided; empty for the system."""


@dataclasses.dataclass(frozen=True)
class FixtureLine:
    """A planned meeting and, once its boards are unsealed, how it went."""

    id: str
    state: str
    is_sealed: bool
    is_bye: bool
    reason: str
    sides: tuple[Side, ...]
    tables: tuple[TableLine, ...]
    same_owner: bool = False
    """Two of its entries have an owner in common."""
    ruling: Ruling | None = None
    """The last one, once the boards are unsealed."""

    @property
    def is_done(self) -> bool:
        """Ended in whatever way."""
        return self.state in (DONE, *Fixture.DONE)

    @property
    def is_many(self) -> bool:
        """More than two meet."""
        return len(self.sides) > 2

    @property
    def shown_tables(self) -> tuple[TableLine, ...]:
        """The tables to be shown one by one: all, or of many those that are being played or held back."""
        if len(self.tables) <= TABLES_AT_MOST:
            return self.tables
        return tuple(table for table in self.tables if table.state in ("playing", "quarantined"))

    @property
    def summed(self) -> TableSum | None:
        """All tables in one, where they are too many to be shown one by one."""
        if len(self.tables) <= TABLES_AT_MOST:
            return None
        states = [table.state for table in self.tables]
        return TableSum(
            boards_done=sum(table.boards_done for table in self.tables),
            boards=sum(table.boards for table in self.tables),
            tables=len(states),
            finished=states.count("finished"),
        )


@dataclasses.dataclass(frozen=True)
class RoundLine:
    """A round with its fixtures; byes last."""

    stage: int
    number: int
    is_open: bool
    boards: int
    """In its board set."""
    opened_at: datetime.datetime | None
    closed_at: datetime.datetime | None
    fixtures: tuple[FixtureLine, ...]

    @property
    def done(self) -> int:
        """Fixtures ended, byes left out."""
        return sum(fixture.is_done for fixture in self.fixtures if not fixture.is_bye)

    @property
    def meetings(self) -> int:
        """Fixtures that are played."""
        return sum(not fixture.is_bye for fixture in self.fixtures)


def rounds_of(
    tournament: Tournament, entries: Mapping[int, EntryLabel], only: Sequence[int] | None = None
) -> list[RoundLine]:
    """Every round, or those of these keys, the newest first. Seven queries, whatever the size."""
    chosen = Round.objects.filter(stage__tournament=tournament, board_set__isnull=False)
    if only is not None:
        chosen = chosen.filter(pk__in=only)
    rounds = list(chosen.select_related("stage", "board_set").order_by("-stage__number", "-number"))
    sets = [played.board_set.pk for played in rounds]
    fixtures: dict[int, list[Fixture]] = defaultdict(list)
    for fixture in Fixture.objects.filter(board_set__in=sets).order_by("number"):
        fixtures[fixture.board_set_id].append(fixture)
    sides: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for fixture_id, side, entry_id in (
        FixtureEntry.objects.filter(fixture__board_set__in=sets)
        .order_by("position")
        .values_list("fixture_id", "side", "entry_id")
    ):
        sides[fixture_id][side].append(entry_id)
    tables = _open_tables(sets)
    totals = _closed_totals(sets)
    texts = dict(zip(totals, exact_column(list(totals.values()), signed=True), strict=True))
    rulings = _rulings(sets)
    forfeits = set(
        TableSeat.objects.filter(
            forfeited=True,
            table__fixture__board_set__state=BoardSet.State.CLOSED,
            table__fixture__board_set__in=sets,
        )
        .values_list("table__fixture_id", "entry_id")
        .distinct()
    )

    def side_of(fixture: int, members: list[int]) -> Side:
        first = (fixture, members[0])
        return Side(
            tuple(entries[entry] for entry in members),
            totals.get(first),
            texts.get(first, ""),
            forfeited=any((fixture, entry) in forfeits for entry in members),
        )

    lines = []
    for played in rounds:
        sealed = played.board_set.is_sealed
        shown = [
            _fixture(
                fixture,
                sealed,
                [side_of(fixture.pk, members) for members in sides[fixture.pk].values()],
                tables[fixture.pk],
                rulings.get(fixture.pk),
            )
            for fixture in fixtures[played.board_set.pk]
        ]
        lines.append(
            RoundLine(
                stage=played.stage.number,
                number=played.number,
                is_open=played.state == Round.State.OPEN,
                boards=played.board_set.boards,
                opened_at=played.opened_at,
                closed_at=played.closed_at,
                fixtures=tuple(sorted(shown, key=lambda fixture: fixture.is_bye)),
            )
        )
    return lines


def _open_tables(sets: Sequence[int]) -> dict[int, list[TableLine]]:
    """Tables of open board sets by key of their fixture."""
    found: dict[int, list[TableLine]] = defaultdict(list)
    rows = Table.objects.filter(
        fixture__board_set__state=BoardSet.State.OPEN, fixture__board_set__in=sets
    ).order_by("rotation", "first_board")
    shown = ("fixture_id", "state", "boards_done", "board_count", "attempt", "started_at", "reason")
    for table in rows.only(*shown):
        is_playing = table.state == Table.State.LEASED
        is_unserved = table.state == Table.State.WAITING and table.reason.startswith(UNAVAILABLE)
        found[table.fixture_id].append(
            TableLine(
                number=len(found[table.fixture_id]) + 1,
                state="playing" if is_playing else table.state,
                boards_done=table.boards_done,
                boards=table.board_count,
                attempt=table.attempt,
                since=table.started_at if is_playing else None,
                lacks=table.reason.removeprefix(UNAVAILABLE) if is_unserved else "",
            )
        )
    return found


def _closed_totals(sets: Sequence[int]) -> dict[tuple[int, int], Fraction]:
    """Sums of board scores by fixture and entry, of closed board sets; exact."""
    rows = FixtureScore.objects.filter(
        fixture__board_set__state=BoardSet.State.CLOSED, fixture__board_set__in=sets
    )
    return {
        (fixture, entry): Fraction(numerator, denominator)
        for fixture, entry, numerator, denominator in rows.order_by("fixture", "pk").values_list(
            "fixture", "entry", "numerator", "denominator"
        )
    }


def _rulings(sets: Sequence[int]) -> dict[int, Ruling]:
    """The last ruling by fixture, of closed board sets: before, it would tell how a fixture ended."""
    rows = Adjudication.objects.filter(
        fixture__board_set__state=BoardSet.State.CLOSED, fixture__board_set__in=sets
    )
    return {
        fixture: Ruling(RULINGS[Adjudication.Kind(kind)], reason, by or "")
        for fixture, kind, reason, by in rows.order_by("number").values_list(
            "fixture", "kind", "reason", "actor__username"
        )
    }


def _fixture(
    fixture: Fixture, is_sealed: bool, sides: list[Side], tables: list[TableLine], ruling: Ruling | None
) -> FixtureLine:
    totals = [side.total for side in sides if side.total is not None]
    if is_sealed or len(totals) < len(sides):
        sides = [Side(side.entries) for side in sides]
    else:
        sides = [_told(side, totals) for side in sides]
        if len(sides) > 2:
            sides.sort(key=lambda side: side.place)
    return FixtureLine(
        id=fixture.public_id,
        state=DONE if is_sealed and fixture.state in Fixture.DONE else fixture.state,
        is_sealed=is_sealed,
        is_bye=len(sides) == 1 and len(sides[0].entries) == 1,
        reason="" if is_sealed else fixture.reason,
        sides=tuple(sides),
        tables=tuple(tables),
        same_owner=fixture.same_owner,
        ruling=ruling,
    )


def _told(side: Side, totals: list[Fraction]) -> Side:
    """The side with how it came off; best first is 1, and equals share a place."""
    assert side.total is not None
    if len(totals) == 2:
        other = totals[0] + totals[1] - side.total
        return dataclasses.replace(side, result=result_of(side.total, other))
    return dataclasses.replace(side, place=1 + sum(total > side.total for total in totals))


def result_of(own: Fraction, other: Fraction) -> str:
    """``win``, ``draw`` or ``loss`` of one total against another."""
    return WIN if own > other else LOSS if own < other else DRAW


def tables_by_state(rounds: list[RoundLine], workers: int) -> Tables:
    """The tables of the open rounds, counted."""
    fixtures = [fixture for played in rounds if played.is_open for fixture in played.fixtures]
    tables = [table for fixture in fixtures for table in fixture.tables]
    states = [table.state for table in tables]
    lacks = [table.lacks for table in tables if table.lacks]
    return Tables(
        waiting=states.count("waiting") - len(lacks),
        unserved=len(lacks),
        lacks="; ".join(sorted(set(lacks))),
        playing=states.count("playing"),
        finished=states.count("finished"),
        quarantined=states.count("quarantined"),
        void=states.count("void"),
        workers=workers,
    )
