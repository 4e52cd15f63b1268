"""Rounds and fixtures as displayed. Outcomes are hidden while a board set is open."""

from __future__ import annotations

import dataclasses
import datetime
from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from arena.common.causes import WaitingFor
from arena.common.notes import note_text
from arena.competition.entries.names import entries_by_key
from arena.competition.models import Round, Tournament
from arena.matches.fixture_selectors import (
    ENDED_STATE,
    FixtureCounts,
    OpenBoards,
    OpenTables,
    fixture_counts,
    fixtures_by_board_set,
    forfeits_in,
    rounds_with_boards,
)
from arena.matches.models import Adjudication, Fixture, Table
from arena.standings.selectors import closed_totals
from arena.standings.swings import Swing, round_swings
from arena.web.base.figures import format_column, format_exact
from arena.web.base.labels import EntryLabel, entry_label
from arena.web.base.states import TableCounts

WIN, DRAW, LOSS = "win", "draw", "loss"
RULINGS = {
    Adjudication.Kind.FORFEIT: gettext_lazy("ruled a forfeit"),
    Adjudication.Kind.DRAW: gettext_lazy("ruled a draw"),
    Adjudication.Kind.VOID: gettext_lazy("ruled void"),
    Adjudication.Kind.LIFT: gettext_lazy("ruling lifted: counts as played"),
}
MAX_TABLES_LISTED = 6


@dataclasses.dataclass(frozen=True)
class RoundTable:
    number: int
    """Number within its fixture, from 1."""
    state: str
    boards_done: int
    boards: int
    attempt: int
    since: datetime.datetime | None
    lacks: str = ""
    """Runtime that no live worker has, if the table waits for it."""
    waits: str = ""
    """Other reason why it waits, besides its turn."""

    @property
    def is_repeated(self) -> bool:
        """Whether a later attempt is being played."""
        return self.state == "playing" and self.attempt > 1


@dataclasses.dataclass(frozen=True)
class TableSum:
    boards_done: int
    boards: int
    tables: int
    finished: int


@dataclasses.dataclass(frozen=True)
class RoundSide:
    """A side of a fixture; ``total`` and the following fields are set once the boards are unsealed."""

    entries: tuple[EntryLabel, ...]
    """One entry, or partners in a stage that mixes partners."""
    total: Fraction | None = None
    total_text: str = ""
    result: str = ""
    """``win``, ``draw`` or ``loss``; empty with more than two sides or while unknown."""
    place: int = 0
    """Shared place by total, from 1, with more than two sides; 0 while unknown."""
    forfeited: bool = False
    standing: str = ""
    """Rank and score of a single entry now, on the round's page."""

    @property
    def entry(self) -> EntryLabel:
        return self.entries[0]


@dataclasses.dataclass(frozen=True)
class RulingSummary:
    text: str
    reason: str
    by: str
    """User name; empty for the system."""


@dataclasses.dataclass(frozen=True)
class RoundFixture:
    id: str
    number: int
    """Number within its round, from 1."""
    state: str
    is_sealed: bool
    is_bye: bool
    reason: str
    sides: tuple[RoundSide, ...]
    tables: tuple[RoundTable, ...]
    same_owner: bool = False
    """Whether two of its entries share an owner."""
    ruling: RulingSummary | None = None

    @property
    def is_done(self) -> bool:
        return self.state in (ENDED_STATE, *Fixture.DONE)

    @property
    def is_many(self) -> bool:
        return len(self.sides) > 2

    @property
    def listed_tables(self) -> tuple[RoundTable, ...]:
        """All tables; if there are too many, only those being played or quarantined."""
        if len(self.tables) <= MAX_TABLES_LISTED:
            return self.tables
        return tuple(table for table in self.tables if table.state in ("playing", "quarantined"))

    @property
    def table_sum(self) -> TableSum | None:
        """Sum of all tables, if there are too many to list."""
        if len(self.tables) <= MAX_TABLES_LISTED:
            return None
        states = [table.state for table in self.tables]
        return TableSum(
            boards_done=sum(table.boards_done for table in self.tables),
            boards=sum(table.boards for table in self.tables),
            tables=len(states),
            finished=states.count("finished"),
        )


class RoundSwing(NamedTuple):
    """The largest swing of an opened round."""

    stage: int
    round: int
    board: int
    score: str
    names: str
    """Names of the side with this score."""
    href: str
    """Address of both tables on this board, or of the board."""


def round_swing(swing: Swing | None) -> RoundSwing | None:
    """Return the swing as pages show it. No query."""
    if swing is None:
        return None
    return RoundSwing(
        swing.stage,
        swing.round,
        swing.board,
        format_exact(swing.value, signed=True),
        " + ".join(entry_label(entry).name for entry in swing.winners),
        reverse("web:compare", args=[swing.fixture, swing.board])
        if swing.is_comparable
        else reverse("web:board", args=[swing.board_set, swing.board]),
    )


@dataclasses.dataclass(frozen=True)
class RoundLine:
    """A round with its fixtures, or the first of them; byes last."""

    stage: int
    number: int
    is_open: bool
    boards: int
    opened_at: datetime.datetime | None
    closed_at: datetime.datetime | None
    fixtures: tuple[RoundFixture, ...]
    fixture_count: int
    """Number of fixtures without byes."""
    done: int
    """Number of ended fixtures without byes."""
    swing: RoundSwing | None = None
    """None while the round is open, and without a swing."""

    @property
    def left_out(self) -> int:
        """Number of fixtures, without byes, that are not in ``fixtures``."""
        return self.fixture_count - sum(not fixture.is_bye for fixture in self.fixtures)


def build_rounds(
    tournament: Tournament,
    entries: Mapping[int, EntryLabel] | None = None,
    only: Sequence[int] | None = None,
    fixtures_only: Sequence[int] | None = None,
) -> list[RoundLine]:
    """Return all rounds, or those with keys in ``only``, newest first.

    ``fixtures_only`` selects fixtures by key. ``entries`` are labels by key; missing ones are read. At most
    eleven queries for any size.
    """
    rounds = rounds_with_boards(tournament, only)
    sets = [round_row.board_set.pk for round_row in rounds]
    fixtures = fixtures_by_board_set([round_row.board_set for round_row in rounds], fixtures_only)
    counts = fixture_counts(sets)
    closed = [round_row.board_set.pk for round_row in rounds if not round_row.board_set.is_sealed]
    totals = closed_totals(closed, fixtures_only)
    texts = dict(zip(totals, format_column(list(totals.values()), signed=True), strict=True))
    forfeits = forfeits_in(closed, fixtures_only)
    swings = round_swings(closed) if closed else {}
    if entries is None:
        keys = {side.entry_id for rows in fixtures.values() for row in rows for side in row.sides.all()}
        entries = {key: entry_label(entry) for key, entry in entries_by_key(keys).items()}

    def sides_of(fixture: Fixture) -> list[RoundSide]:
        members: dict[int, list[int]] = defaultdict(list)
        for side in fixture.sides.all():
            members[side.side].append(side.entry_id)
        return [
            RoundSide(
                tuple(entries[entry] for entry in of_side),
                totals.get((fixture.pk, of_side[0])),
                texts.get((fixture.pk, of_side[0]), ""),
                forfeited=any((fixture.pk, entry) in forfeits for entry in of_side),
            )
            for of_side in members.values()
        ]

    lines = []
    for round_row in rounds:
        board_set = round_row.board_set
        of_round = [
            _fixture(fixture, board_set.is_sealed, sides_of(fixture)) for fixture in fixtures[board_set.pk]
        ]
        count = counts.get(board_set.pk, FixtureCounts(0, 0))
        lines.append(
            RoundLine(
                stage=round_row.stage.number,
                number=round_row.number,
                is_open=round_row.state == Round.State.OPEN,
                boards=board_set.boards,
                opened_at=round_row.opened_at,
                closed_at=round_row.closed_at,
                fixtures=tuple(sorted(of_round, key=lambda fixture: fixture.is_bye)),
                fixture_count=count.all,
                done=count.done,
                swing=round_swing(swings.get(board_set.pk)),
            )
        )
    return lines


def _table(number: int, table: Table) -> RoundTable:
    is_playing = table.state == Table.State.LEASED
    waiting_for = table.waiting_for if table.state == Table.State.WAITING else ""
    return RoundTable(
        number=number,
        state="playing" if is_playing else table.state,
        boards_done=table.boards_done,
        boards=table.board_count,
        attempt=table.attempt,
        since=table.started_at if is_playing else None,
        lacks=table.reason if waiting_for == WaitingFor.RUNTIME else "",
        waits=table.reason if waiting_for == WaitingFor.BOARDS else "",
    )


def _ruling(ruling: Adjudication) -> RulingSummary:
    by = ruling.actor.username if ruling.actor else ""
    return RulingSummary(str(RULINGS[Adjudication.Kind(ruling.kind)]), ruling.reason, by)


def _fixture(fixture: Fixture, is_sealed: bool, sides: list[RoundSide]) -> RoundFixture:
    rulings = fixture.adjudications.all()
    totals = [side.total for side in sides if side.total is not None]
    if is_sealed or len(totals) < len(sides):
        sides = [RoundSide(side.entries) for side in sides]
    else:
        sides = [_with_result(side, totals) for side in sides]
        if len(sides) > 2:
            sides.sort(key=lambda side: side.place)
    return RoundFixture(
        id=fixture.public_id,
        number=fixture.number,
        state=ENDED_STATE if is_sealed and fixture.state in Fixture.DONE else fixture.state,
        is_sealed=is_sealed,
        is_bye=len(sides) == 1 and len(sides[0].entries) == 1,
        reason="" if is_sealed else fixture.reason,
        sides=tuple(sides),
        tables=tuple(_table(number, table) for number, table in enumerate(fixture.tables.all(), 1)),
        same_owner=fixture.same_owner,
        ruling=_ruling(rulings[len(rulings) - 1]) if rulings else None,
    )


def _with_result(side: RoundSide, totals: list[Fraction]) -> RoundSide:
    """Return the side with its result or place; equal totals share a place."""
    assert side.total is not None
    if len(totals) == 2:
        other = totals[0] + totals[1] - side.total
        return dataclasses.replace(side, result=compare_totals(side.total, other))
    return dataclasses.replace(side, place=1 + sum(total > side.total for total in totals))


def compare_totals(own: Fraction, other: Fraction) -> str:
    """Return ``win``, ``draw`` or ``loss``."""
    return WIN if own > other else LOSS if own < other else DRAW


def count_tables(tables: Sequence[OpenTables]) -> TableCounts:
    """Return the tables of all open rounds by state."""
    counts: dict[str, int] = defaultdict(int)
    for group in tables:
        counts[group.state] += group.tables
    unserved = [group for group in tables if group.lacks and group.state == Table.State.WAITING]
    lacking = sum(group.tables for group in unserved)
    return TableCounts(
        waiting=counts[Table.State.WAITING] - lacking,
        unserved=lacking,
        lacks=_("; ").join(sorted({note_text(group.lacks) for group in unserved})),
        playing=counts[Table.State.LEASED],
        finished=counts[Table.State.FINISHED],
        quarantined=counts[Table.State.QUARANTINED],
        void=counts[Table.State.VOID],
    )


def count_boards(tables: Sequence[OpenTables]) -> OpenBoards:
    counted = [group for group in tables if group.state != Table.State.VOID]
    return OpenBoards(
        done=sum(group.boards_done for group in counted),
        all=sum(group.boards for group in counted),
        playing=sum(group.tables for group in counted if group.state == Table.State.LEASED),
    )
